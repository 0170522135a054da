/**
 * Programs that read what exports make and know nothing of us: py-wacz, DuckDB, and wabac, which plays WACZ files back
 * in browsers (here over an IndexedDB in memory). Each in a folder of its own in the cache.
 */
import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const cache = path.join(homedir(), '.cache', 'orbweaver');
const python = path.join(cache, 'export-readers-1');
const packages = ['wacz==0.6.0', 'duckdb==1.4.2', 'setuptools<81'];
const wabac = path.join(cache, 'wabac-2.27.1');
const modules = ['@webrecorder/wabac@2.27.1', 'warcio@2.4.11', 'fake-indexeddb@6.2.8'];
const told: ExecFileSyncOptions = { stdio: ['ignore', 2, 2] };

/** Null: they were not installed here. */
export const exportReaders = (): {
  readonly python: string;
  readonly wacz: string;
  readonly wabac: string;
} | null =>
  existsSync(path.join(python, 'installed')) && existsSync(path.join(wabac, 'installed'))
    ? { python: path.join(python, 'bin', 'python'), wacz: path.join(python, 'bin', 'wacz'), wabac }
    : null;

/** Needs Python 3 with venv, and npm. */
export function installExportReaders(): string {
  install(python, () => {
    execFileSync('python3', ['-m', 'venv', python], told);
    execFileSync(path.join(python, 'bin', 'pip'), ['install', '--quiet', ...packages], told);
  });
  install(wabac, () => {
    mkdirSync(wabac, { recursive: true });
    writeFileSync(path.join(wabac, 'package.json'), '{"private":true,"type":"module"}\n');
    execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', ...modules], {
      ...told,
      cwd: wabac,
    });
  });
  return `${python}, ${wabac}`;
}

function install(folder: string, make: () => void): void {
  if (existsSync(path.join(folder, 'installed'))) return;
  try {
    make();
    writeFileSync(path.join(folder, 'installed'), '');
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error('Python 3 with venv, npm, and a way to their packages are needed.', { cause: error });
  }
}
