/**
 * Verbs that go by an API elsewhere: --server and a key, tables and --json, and what is refused.
 *
 * @module-tag long
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CrawlView } from '../../../contracts/http/crawls.ts';
import type { CreatedKey, TenantView } from '../../../contracts/tenancy.ts';
import { jsonLines, runCli, type CliResult } from '../../cli/run-cli.ts';
import { newKey, newTenant } from '../api/asking.ts';
import { addPage, newCrawl, withApi } from '../api/world.ts';
import { addLetter, addUrl, setState } from '../../support/database/index.ts';
import { ownFolder } from '../../support/given.ts';

const { pool, api } = withApi({ anonymous: true });
const folder = ownFolder();

const keyFile = path.join(folder, 'admin.key');
beforeAll(() => {
  writeFileSync(keyFile, `${api.key}\n`);
});

/** No stack runs on the data folder: what is answered comes from the server. */
const run = (args: readonly string[], file = keyFile, input = ''): Promise<CliResult> =>
  runCli(
    [...args, '--server', api.url, '--key-file', file],
    { ORBWEAVER_DATA: path.join(folder, 'none') },
    input,
  );
const done = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};
const one = async <T>(...args: string[]): Promise<T> => jsonLines(await done(...args, '--json'))[0] as T;

describe('crawls', () => {
  it('are started without waiting, listed, paused, resumed and cancelled', async () => {
    const id = (
      await done('crawls', 'start', 'https://a.example/', '--label', 'nightly', '--max-pages', '5', '--id')
    ).trim();
    expect(id).toMatch(/^\d+$/);
    const [heads, row] = (await done('crawls', 'list', '--limit', '1')).split('\n');
    expect(heads).toMatch(/^crawl +state +reason +pages/);
    expect(row).toMatch(new RegExp(`^${id} +seeding .* nightly$`));
    expect(await one('status', id)).toMatchObject({ id, config: { maxPages: 5 } });
    expect(await done('pause', id, '--reason', 'a look')).toBe(`Crawl ${id} is paused (a look).\n`);
    expect(await one('crawls', 'resume', id)).toEqual({ id, state: 'running', reason: null });
    expect(await done('cancel', id)).toBe(`Crawl ${id} is cancelled.\n`);
    const again = await run(['cancel', id]);
    expect(again).toMatchObject({
      code: 3,
      stdout: '',
      stderr: `orbweaver: Crawl ${id} is cancelled: it cannot be cancelled.\n`,
    });
  });

  it('are started by a file of settings, and like another, of which options and seeds of their own go before', async () => {
    const file = path.join(folder, 'crawl.yaml');
    writeFileSync(
      file,
      '# nightly\nseeds:\n  - https://a.example/\n  - nonsense\nlabel: nightly\nmaxPages: 500\nexclude: ["*.pdf"]\n',
    );
    const start = async (...args: string[]): Promise<CrawlView> => {
      const { code, stdout, stderr } = await run(['crawls', 'start', ...args, '--json']);
      expect(code, stderr).toBe(0);
      return one<CrawlView>('status', (jsonLines(stdout)[0] as { id: string }).id);
    };
    const first = await start('--config', file, '--max-pages', '5');
    expect(first).toMatchObject({ label: 'nightly', seeds: { accepted: 1, rejected: 1 } });
    expect(first.config).toMatchObject({ maxPages: 5, exclude: ['*.pdf'] });
    const second = await start('--like', first.id, '--max-depth', '2');
    expect(second).toMatchObject({ label: 'nightly', seeds: { accepted: 1, rejected: 0 } });
    expect(second.config).toEqual({ ...first.config, maxDepth: 2 });
    const third = await start('https://b.example/', 'https://c.example/', '--like', first.id);
    expect(third).toMatchObject({ seeds: { accepted: 2 }, config: first.config });
    expect((await run(['crawls', 'start', '--like', '999999'])).stderr).toBe(
      'orbweaver: There is no crawl 999999.\n',
    );
  });

  it('are listed page by page, to the last and to the number that is asked for', async () => {
    for (let at = 0; at < 101; at++) await newCrawl(pool);
    const ids = jsonLines(await done('crawls', 'list', '--limit', '101', '--json')).map(
      (line) => (line as { id: string }).id,
    );
    expect(new Set(ids).size).toBe(101);
  });

  it('are looked into as on the data folder', async () => {
    const id = await newCrawl(pool);
    await addPage(pool, id, 'https://a.example/1', { title: 'One', text: 'a b', links: [] });
    const bad = await addUrl(pool, id, 'https://a.example/bad', {
      state: 'failed',
      reason: 'timeout',
    });
    await addLetter(pool, id, bad, 'timeout', { message: 'it took too long', attempts: 5 });
    await setState(pool, id, 'finished', 'complete');
    expect(jsonLines(await done('pages', id, '--fields', 'text'))).toContainEqual(
      expect.objectContaining({ url: 'https://a.example/1', title: 'One', text: 'a b' }),
    );
    expect(await done('explain', id, 'https://a.example/1')).toContain('https://a.example/1');
    expect(await one('audit', id)).toMatchObject({ crawlId: id, ok: true });
    expect(await done('status')).toContain('complete');
    expect(await done('dead-letters', id)).toContain('https://a.example/bad');
    expect(await done('redrive', id)).toMatch(/^1 dead letter is queued again/);
  });
});

describe('keys and tenants', () => {
  it('are made, shown and taken back; a saved key is for its owner alone and is not shown', async () => {
    const tenant = await one<TenantView>('tenants', 'create', 'acme', '--quota', 'crawlsAtOnce=2');
    expect(await done('tenants', 'list')).toMatch(new RegExp(`${tenant.id} +acme .* crawlsAtOnce=2`));
    const file = path.join(folder, 'acme.key');
    const make = ['keys', 'create', 'first', '--role', 'admin', '--tenant', tenant.id, '--save', file];
    const made = await done(...make);
    const key = readFileSync(file, 'utf8').trim();
    expect(key).toMatch(/^owk_/);
    expect(made).not.toContain(key);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await run(make)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it exists already') as string,
    });

    const own = await run(['tenant'], file);
    expect(own.stdout).toMatch(/acme[^]*crawlsAtOnce +2 +0/);
    const shown = await run(['keys', 'create', 'second', '--role', 'reader', '--json'], '-', key);
    const second = jsonLines(shown.stdout)[0] as CreatedKey;
    expect(second.key).toMatch(/^owk_/);
    expect((await run(['crawls', 'start', 'https://a.example/', '--key', 'x'], file)).stderr).toMatch(
      /not both/,
    );
    expect((await run(['keys', 'revoke', second.id], file)).stdout).toMatch(/is revoked/);
    expect((await run(['keys', 'list'], file)).stdout).toMatch(/second .* revoked/);

    expect(await done('tenants', 'set', tenant.id, '--quota', 'crawlsAtOnce=none')).toMatch(/no quotas/);
    expect(await done('tenants', 'close', tenant.id)).toMatch(/is closed/);
    expect((await run(['tenant'], file)).code).toBe(3);
  });

  it('what a role may not is refused', async () => {
    const file = path.join(folder, 'reader.key');
    writeFileSync(file, await newKey(pool, await newTenant(pool), 'reader'));
    for (const verb of [
      ['keys', 'list'],
      ['tenants', 'list'],
      ['hosts'],
      ['crawls', 'start', 'https://a.example/'],
    ]) {
      const { code, stdout, stderr } = await run(verb, file);
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toMatch(/^orbweaver: [^\n]+\.\n$/);
    }
  });
});

describe('the instance', () => {
  it('shows hosts, sets one, and keeps opt-outs', async () => {
    expect(await one('host', 'set', 'https://slow.example', '--quota', '5')).toMatchObject({
      origin: 'https://slow.example',
      settings: { quotaPerDay: 5 },
    });
    expect(await done('hosts')).toMatch(/https:\/\/slow\.example .* quota 5 a day/);
    expect(await done('opt-out', 'list')).toBe('No domain has opted out.\n');
    expect(await done('opt-out', 'add', 'gone.example', '--reason', 'their mail')).toMatch(/has opted out/);
    expect(await one('opt-out', 'list')).toMatchObject({ domain: 'gone.example', reason: 'their mail' });
    expect(await done('opt-out', 'remove', 'gone.example')).toMatch(/is removed/);
    expect((await run(['opt-out', 'remove', 'gone.example'])).code).toBe(2);
  });
});

it('a key that is wrong, and one that is none, are told in one sentence', async () => {
  const file = path.join(folder, 'wrong.key');
  writeFileSync(file, `owk_${'x'.repeat(43)}`);
  const wrong = await run(['crawls', 'list'], file);
  expect(wrong).toMatchObject({ code: 3, stdout: '' });
  expect(wrong.stderr).toMatch(/^orbweaver: [^\n]+\.\n$/);
  expect(wrong.stderr).not.toContain('xxxx');
  const none = await runCli(['status'], { ORBWEAVER_SERVER: api.url });
  expect(none).toMatchObject({ code: 3, stdout: '' });
});
