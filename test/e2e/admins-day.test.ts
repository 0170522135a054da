/**
 * docs/api.md, "An admin's day": its commands, in order, on a stack of their own and a site that is theirs; and the key of
 * that stack, which is shown at its first start alone (F36).
 *
 * @module-tag deep
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilDayLasts } from '../support/calendar.ts';
import { until } from '../support/until.ts';
import { findRunningStack } from '../../stack/info.ts';
import { jsonLines, startCli, type RunningCli } from '../cli/run-cli.ts';
import { startSite, type Site } from '../integration/activities/site.ts';
import { ownFolder } from '../support/given.ts';

const root = path.join(import.meta.dirname, '..', '..');
const folder = ownFolder();
const data = ownFolder();
let up: RunningCli;
let apiUrl = '';

async function start(more: Readonly<Record<string, string>> = {}): Promise<void> {
  up = startCli(['up'], {
    ORBWEAVER_DATA: data,
    ORBWEAVER_ALLOW_PRIVATE: '127.0.0.0/8',
    ORBWEAVER_WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
    ...more,
  });
  const isUp = (): boolean => (apiUrl = findRunningStack(data)?.apiUrl ?? '') !== '';
  await until('the stack is up', isUp).catch((error: unknown) => {
    throw new Error(up.stderr(), { cause: error });
  });
}
/** Answers what it printed. */
async function stop(): Promise<string> {
  up.process.kill('SIGINT');
  return (await up.result).stdout;
}
beforeAll(async () => {
  symlinkSync(path.join(root, 'orbweaver'), path.join(folder, 'orbweaver'));
  await start();
});
afterAll(stop);

/** The fenced blocks of the section, the first of which starts the stack. */
function commandsOfTheDay(): string[] {
  const page = readFileSync(path.join(root, 'docs/api.md'), 'utf8');
  const [, section = ''] = /^## An admin's day\n(.*?)^## /ms.exec(page) ?? [];
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block.trim());
  expect(blocks[0]).toBe('./orbweaver up');
  return blocks.slice(1).flatMap((block) => block.split('\n'));
}

/** What is marked as refused must be refused with 3; everything else must go well. */
const asScript = (line: string): string =>
  line.startsWith('! ')
    ? `code=0; ${line.slice(2)} || code=$?; test "$code" = 3 || { echo "code $code: ${line.slice(2).replace(/"/g, '')}" >&2; exit 1; }`
    : line;

async function runDay(site: Site): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const script = commandsOfTheDay()
    .map(asScript)
    .join('\n')
    .replaceAll('http://127.0.0.1:8080', site.origin)
    .replaceAll('http://127.0.0.1:7700', apiUrl);
  const child = spawn('bash', ['-euo', 'pipefail', '-x', '-c', script], {
    cwd: folder,
    env: { ...process.env, ORBWEAVER_DATA: data, ORBWEAVER_START_SECONDS: '600' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

it('goes from the first key to the last refusal', async () => {
  const site = await startSite({
    '/': (response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<title>Home</title><a href="/one">1</a> <a href="/two">2</a>');
    },
  });
  // Crawls of a day are counted.
  await untilDayLasts(400_000);
  const { code, stdout, stderr } = await runDay(site);
  expect(code, stderr).toBe(0);
  const pages = readFileSync(path.join(folder, 'pages.jsonl'), 'utf8');
  expect(
    jsonLines(pages)
      .map((line) => (line as { url: string }).url)
      .sort(),
  ).toEqual(['/', '/one', '/two'].map((each) => site.origin + each));
  expect(stdout).toContain('its counters agree with its URLs');
  expect(stdout).toMatch(/crawl\.created[^]*crawl\.running[^]*crawl\.finished/);
  expect(stdout).toMatch(/Statuses\n +status +URLs +size\n +200 +3 /);
  expect(readFileSync(path.join(folder, 'report.html'), 'utf8')).toMatch(/^<!doctype html>/i);
  expect(readFileSync(path.join(folder, 'pages.csv'), 'utf8')).toContain(`${site.origin}/two`);
  expect(stdout).toMatch(/has 1 seed more\./);
  expect(site.paths().filter((each) => each === '/hook').length).toBeGreaterThanOrEqual(2);
  expect(stdout).toMatch(/\n3 .* version 1 again\n2 .* their mail of 3 May\n1 /);
  expect(stdout).toMatch(/ admin +PATCH +\/v1\/crawls\/\d+ +200 /);
  expect(stdout).toMatch(/is paused \(a look at it\)\.\n.*is running\.\n[^]*is (cancelled|draining)/);
  expect(stdout).toMatch(/crawlsPerDay +2 +2\n/);
  expect(stderr).toMatch(/^orbweaver: [^\n]*quota of 2 crawls a day is spent\.$/m);
  expect(stdout).toMatch(/nightly job .* revoked /);
  expect(stdout).toMatch(/Tenant \d+ \(acme\) is closed/);
  // No key was shown but by `up`, to whoever started it.
  expect(stdout + stderr).not.toMatch(/owk_[\w-]{20}/);
});

it('its key is shown once, kept where only its owner reads it, and nowhere in the logs', async () => {
  const file = path.join(data, 'admin-key');
  const key = readFileSync(file, 'utf8').trim();
  const statusWith = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await fetch(`${apiUrl}/v1/tenants`, { headers })).status;
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await statusWith({})).toBe(401);
  expect(await statusWith({ authorization: `Bearer ${key}` })).toBe(200);
  const first = await stop();
  expect(first).toContain(`Admin key     ${key} (shown only once; kept in ${file})`);
  expect(first).toMatch(/On this machine only/);

  await start({ ORBWEAVER_ROLES: 'control' });
  expect(await statusWith({ authorization: `Bearer ${key}` })).toBe(200);
  const second = await stop();
  expect(second).toContain(`Admin key     in ${file}`);
  expect(second).not.toContain(key);

  const folderOfLogs = path.join(data, 'logs');
  const logs = readdirSync(folderOfLogs).map((name) => readFileSync(path.join(folderOfLogs, name), 'utf8'));
  expect(logs.join('')).toMatch(/listening on this machine only/);
  expect(logs.join('')).not.toContain(key);
});
