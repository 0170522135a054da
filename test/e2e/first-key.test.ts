/**
 * The first start of an embedded stack: its key is shown once, kept for the owner, and used by verbs (F36).
 *
 * @module-tag long
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { findRunningStack } from '../../stack/info.ts';
import { runCli, startCli, type RunningCli } from '../cli/run-cli.ts';
import { ownFolder } from '../support/given.ts';

const folder = ownFolder();
const started: RunningCli[] = [];
afterAll(() => {
  for (const cli of started) cli.process.kill('SIGKILL');
});

/** Brings the stack up for as long as `work` takes; answers what `up` printed. */
async function whileUp(work: (apiUrl: string) => Promise<void>): Promise<string> {
  const cli = startCli(['up'], { ORBWEAVER_DATA: folder });
  started.push(cli);
  const apiUrl = (): string | null => findRunningStack(folder)?.apiUrl ?? null;
  await expect.poll(apiUrl, { interval: 100, message: cli.stderr() }).not.toBeNull();
  await work(apiUrl() ?? '');
  cli.process.kill('SIGINT');
  const { stdout } = await cli.result;
  return stdout;
}

const statusWith = async (apiUrl: string, key: string | null): Promise<number> => {
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  return (await fetch(`${apiUrl}/v1/tenants`, { headers })).status;
};

it('shows an admin key once, keeps it where only its owner reads, and has it nowhere in the logs', async () => {
  const file = path.join(folder, 'admin-key');
  let key = '';
  const first = await whileUp(async (apiUrl) => {
    key = readFileSync(file, 'utf8').trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await statusWith(apiUrl, null)).toBe(401);
    expect(await statusWith(apiUrl, key)).toBe(200);
    // A verb that goes by the API finds the key by itself: it is told that there is no crawl, and not that it has no key.
    const redrive = await runCli(['redrive', '7'], { ORBWEAVER_DATA: folder });
    expect(redrive.stderr).toMatch(/no crawl 7/);
  });
  expect(first).toContain(`Admin key     ${key} (shown only once; kept in ${file})`);
  expect(first).toMatch(/On this machine only/);

  const second = await whileUp(async (apiUrl) => {
    expect(await statusWith(apiUrl, key)).toBe(200);
  });
  expect(second).toContain(`Admin key     in ${file}`);
  expect(second).not.toContain(key);

  const logs = readdirSync(path.join(folder, 'logs')).map((name) =>
    readFileSync(path.join(folder, 'logs', name), 'utf8'),
  );
  expect(logs.join('')).toMatch(/listening on this machine only/);
  expect(logs.join('')).not.toContain(key);
});
