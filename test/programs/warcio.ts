/** warcio, which reads and checks web archives and knows nothing of us; in a Python environment of its own in the cache. */
import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const version = '1.8.1';
const folder = path.join(homedir(), '.cache', 'orbweaver', `warcio-${version}`);
const program = path.join(folder, 'bin', 'warcio');

/** Null: it was not installed here. */
export const warcio = (): string | null => (existsSync(program) ? program : null);

/** Needs Python 3 with venv. */
export function installWarcio(): string {
  if (existsSync(program)) return program;
  try {
    const told: ExecFileSyncOptions = { stdio: ['ignore', 2, 2] };
    execFileSync('python3', ['-m', 'venv', folder], told);
    execFileSync(path.join(folder, 'bin', 'pip'), ['install', '--quiet', `warcio==${version}`], told);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`Python 3 with venv, and a way to warcio ${version}, are needed.`, { cause: error });
  }
  return program;
}
