/** Web programs of other people that tests crawl; in a Python environment of their own in the cache. */
import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const versions = ['roundup==2.6.0', 'httpbin==0.10.4'];
const folder = path.join(homedir(), '.cache', 'orbweaver', 'web-programs-1');
const program = (name: string): string => path.join(folder, 'bin', name);
const isHere = (): boolean => existsSync(program('roundup-server'));

/** Null: it was not installed here. */
export const roundup = (): { readonly admin: string; readonly server: string } | null =>
  isHere() ? { admin: program('roundup-admin'), server: program('roundup-server') } : null;

/** A Python that has httpbin. Null: it was not installed here. */
export const httpbinPython = (): string | null => (isHere() ? program('python') : null);

/** Needs Python 3 with venv. */
export function installWebPrograms(): string {
  if (isHere()) return folder;
  try {
    const told: ExecFileSyncOptions = { stdio: ['ignore', 2, 2] };
    execFileSync('python3', ['-m', 'venv', folder], told);
    execFileSync(program('pip'), ['install', '--quiet', ...versions], told);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`Python 3 with venv, and a way to ${versions.join(' and ')}, are needed.`, {
      cause: error,
    });
  }
  return folder;
}
