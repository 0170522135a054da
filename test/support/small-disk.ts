/** A file system of a few megabytes, to be filled and freed. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Takes `fill` back. */
  free(): void;
  unmount(): void;
}

const mount = (folder: string, bytes: number): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${String(bytes)}`, 'tmpfs', folder]).status === 0;

const makeFolder = (): string => mkdtempSync(path.join(tmpdir(), 'orbweaver-small-'));

/** Whether this process may mount file systems: as root, and not in every container. */
export function mayMount(): boolean {
  const folder = makeFolder();
  const mounted = mount(folder, 65_536);
  if (mounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
}

/** @param owner user id; this process's by default */
export function makeSmallDisk(bytes: number, owner?: number): SmallDisk {
  const folder = makeFolder();
  if (!mount(folder, bytes)) throw new Error('a file system could not be mounted');
  if (owner !== undefined) chownSync(folder, owner, owner);
  const ballast = path.join(folder, 'ballast');
  return {
    folder,
    fill: () => {
      for (let piece = 65_536; piece >= 1; piece /= 2) {
        try {
          for (;;) appendFileSync(ballast, Buffer.alloc(piece));
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        }
      }
    },
    free: () => {
      truncateSync(ballast);
    },
    unmount: () => {
      spawnSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
