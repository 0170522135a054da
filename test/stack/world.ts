/** Folders, launchers and processes of the stack's tests. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { StackInfo } from '../../stack/info.ts';
import { identify, lives, type ProcessId } from '../../stack/processes.ts';

export const makeFolder = (): string => mkdtempSync(path.join(tmpdir(), 'orbweaver-stack-'));

interface Moved {
  readonly what: string;
  readonly port: number;
}

export interface Launched {
  readonly process: ChildProcess;
  readonly answer: {
    readonly up?: StackInfo & { readonly movedPorts: readonly Moved[] };
    readonly refused?: string;
  };
  readonly ended: Promise<unknown>;
}

/** Runs test/stack/launcher.ts on a data folder until its first line. */
export const launch = async (
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<Launched> => {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'launcher.ts'), ...args], {
    env: { ...process.env, ORBWEAVER_DATA: dataDir, ORBWEAVER_START_SECONDS: '600', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([
    once(lines, 'line'),
    ended.then(() => ['{"refused":"it said nothing"}']),
  ])) as [string];
  return { process: child, answer: JSON.parse(line) as Launched['answer'], ended };
};

export const pidOf = (dataDir: string, part: string): number =>
  Number(readFileSync(path.join(dataDir, 'run', `${part}.pid`), 'utf8'));

/** Everything that runs for a data folder: the parts by their pid files, their children, and their leashes. */
export const processesOf = (dataDir: string): ProcessId[] => {
  const parts = readdirSync(path.join(dataDir, 'run'))
    .filter((name) => name.endsWith('.pid'))
    .map((name) => pidOf(dataDir, name.slice(0, -'.pid'.length)));
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(Number(name))]),
  );
  const related = new Set(parts.flatMap((pid) => [pid, parents.get(pid) ?? pid]));
  for (let size = 0; size !== related.size;) {
    size = related.size;
    for (const [pid, parent] of parents) if (related.has(parent)) related.add(pid);
  }
  return [...related].map(identify).filter((id) => id !== null);
};

const parentOf = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
};

export const allGone = (ids: readonly ProcessId[]): boolean => !ids.some(lives);
