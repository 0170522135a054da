/**
 * Fetches contestants the first time they are asked for, into folders of bench/ that git ignores. They are no
 * dependencies of the project, so that newcomers never download them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { goCaches } from '../stack/go-install.ts';

/** The program of a contestant, or in one sentence why it cannot be had here. */
export type Program = { readonly path: string } | { readonly missing: string };

export function installCrawlee(): void {
  const folder = join(import.meta.dirname, 'crawlee');
  const wanted = ['cheerio', 'playwright'].map((name) => join(folder, 'node_modules', '@crawlee', name));
  if (wanted.every((each) => existsSync(each))) return;
  process.stderr.write('installing Crawlee into bench/crawlee (once)\n');
  const flags = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...flags], { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('Crawlee could not be installed; see --only');
}

/** What stands in the way when the command fails, null when it does not. */
function attempt(
  command: string,
  args: readonly string[],
  cwd: string,
  path?: string,
  settings: Readonly<Record<string, string>> = {},
): string | null {
  const env = { ...process.env, ...settings, ...(path !== undefined && { PATH: path }) };
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (status === 0) return null;
  if (error !== undefined) return `there is no ${command} here (${error.message})`;
  const last = (stdout + stderr).trimEnd().split('\n').at(-1) ?? '';
  return `${[command, ...args].join(' ')} failed: ${last}`;
}

/**
 * Scrapy in a virtual environment of its own; the path is that of its Python.
 * @param path where programs are searched, by default as everywhere
 */
export const installScrapy = (folder = join(import.meta.dirname, 'scrapy'), path?: string): Program =>
  installPython('Scrapy', folder, path);

/** The packages that a folder's requirements.txt names, in a virtual environment of its own. */
export function installPython(what: string, folder: string, path?: string): Program {
  const venv = join(folder, '.cache', 'venv');
  const python = join(venv, 'bin', 'python');
  // Written last, so that what was interrupted is begun anew, and another version is installed anew.
  const installed = join(venv, 'installed.txt');
  const wanted = readFileSync(join(folder, 'requirements.txt'), 'utf8');
  const has = existsSync(python) && existsSync(installed) && readFileSync(installed, 'utf8') === wanted;
  if (has) return { path: python };
  process.stderr.write(`installing ${what} into ${relative(process.cwd(), folder)} (once)\n`);
  const missing =
    attempt('python3', ['-m', 'venv', '--clear', '.cache/venv'], folder, path) ??
    attempt(
      python,
      ['-m', 'pip', 'install', '--quiet', '--no-input', '-r', 'requirements.txt'],
      folder,
      path,
    );
  if (missing !== null) return { missing };
  writeFileSync(installed, wanted);
  return { path: python };
}

/** Colly in a program of bench/colly, beside what Go needs to know by itself what is to be fetched and compiled anew. */
export function installColly(folder = join(import.meta.dirname, 'colly'), path?: string): Program {
  const program = join('.cache', 'crawl');
  if (!existsSync(join(folder, program)))
    process.stderr.write('building Colly in bench/colly (once, about a minute)\n');
  const caches = goCaches(join(folder, '.cache'));
  const missing = attempt('go', ['build', '-buildvcs=false', '-o', program, '.'], folder, path, caches);
  return missing === null ? { path: join(folder, program) } : { missing };
}
