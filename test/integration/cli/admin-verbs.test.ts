/** edit, versions, restore, webhooks, audit-log and seeds list of the command line, by an API over a real database. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigVersion, EditPreview } from '../../../contracts/http/edits.ts';
import { jsonLines, runCli, type CliResult } from '../../cli/run-cli.ts';
import { newKey } from '../api/asking.ts';
import { newCrawl, withApi } from '../api/world.ts';
import { addUrl, setState } from '../../support/database/index.ts';
import { ownFolder } from '../../support/given.ts';

const { pool, api } = withApi({ anonymous: true });
const folder = ownFolder();

/** No stack runs on the data folder: what is answered comes from the server. */
const run = (args: readonly string[], key = api.key): Promise<CliResult> =>
  runCli([...args, '--server', api.url], {
    ORBWEAVER_DATA: path.join(folder, 'none'),
    ORBWEAVER_API_KEY: key,
  });
const done = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};
const one = async <T>(...args: string[]): Promise<T> => jsonLines(await done(...args, '--json'))[0] as T;
const refused = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  return stderr;
};

describe('edit, versions, restore', () => {
  it('tell what an edit would do, make it, list it, and take it back', { tags: ['long'] }, async () => {
    const id = await newCrawl(pool);
    for (const page of ['1', '2', 'archive/3']) await addUrl(pool, id, `https://a.example/${page}`);
    await setState(pool, id, 'running', null);
    const asked = ['edit', id, '--exclude', '*/archive/*'];
    expect(await done(...asked, '--dry-run')).toMatch(
      /^Crawl \d+: of the URLs that are queued now \(3\), 1 would be excluded; of the URLs that rules exclude now \(0\), 0 would be queued again\. Nothing was changed\.\n\nreason [^]*\nhost +excluded +queued again\nhttps:\/\/a\.example +1 +0\n$/,
    );
    expect(await one<EditPreview>(...asked, '--dry-run')).toMatchObject({ queued: 3, excluded: 1 });
    expect(await one('status', id)).toMatchObject({ configVersion: 1, config: { exclude: [] } });

    expect(await done(...asked, '--delay', '2', '--note', 'of no use')).toMatch(
      /has version 2 of its settings/,
    );
    const finish = path.join(folder, 'finish.json');
    writeFileSync(finish, '{"any": [{"pages": 10}]}');
    const third = await one<ConfigVersion>('edit', id, '--finish', finish, '--max-pages', '50');
    expect(third).toMatchObject({
      version: 3,
      config: { exclude: ['*/archive/*'], delaySeconds: 2, maxPages: 50, finish: { any: [{ pages: 10 }] } },
    });
    expect(
      await one('edit', id, '--exclude', 'none', '--max-pages', 'none', '--finish', 'none'),
    ).toMatchObject({
      version: 4,
      config: { exclude: [], delaySeconds: 2, maxPages: null, finish: null },
    });
    expect(await done('restore', id, '2', '--dry-run')).toMatch(/1 would be excluded/);
    expect(await one('restore', id, '2', '--note', 'after all')).toMatchObject({
      version: 5,
      restores: 2,
      config: { exclude: ['*/archive/*'], maxPages: null },
    });
    const listed = await done('versions', id);
    expect(listed).toMatch(/^version +created +by +applied/);
    expect(listed).toMatch(/\n5 .* version 2 again: after all\n4 /);
    expect(listed).toMatch(/\n2 .* of no use\n1 /);
    expect(jsonLines(await done('versions', id, '--json'))).toHaveLength(5);
  });

  it('say what is wrong before anything is asked, and what the API refuses', async () => {
    expect(await refused('edit', '1')).toMatch(/Say what to change: --max-pages, .*--scope, --include/);
    expect(await refused('edit', '1', '--max-pages', '0')).toMatch(/--max-pages cannot be used/);
    expect(await refused('edit', '1', '--delay', 'soon')).toMatch(/--delay cannot be used/);
    expect(await refused('edit', '1', '--finish', '{"any"')).toMatch(/--finish is not valid JSON/);
    expect(await refused('edit', '999999', '--delay', '1')).toMatch(/There is no crawl 999999/);
    const id = await newCrawl(pool);
    expect(await refused('restore', id, '7')).toMatch(/has no version 7/);
    await setState(pool, id, 'cancelled', null);
    const over = await run(['edit', id, '--delay', '1']);
    expect(over).toMatchObject({ code: 3, stdout: '' });
    expect(over.stderr).toMatch(/is cancelled: its settings cannot be changed any more/);
  });
});

describe('webhooks', () => {
  it(
    'are added, listed, tested, replayed and removed; a saved key is for its owner alone',
    { tags: ['long'] },
    async () => {
      expect(await done('webhooks', 'list')).toBe('There is no webhook.\n');
      const file = path.join(folder, 'hook.key');
      const add = ['webhooks', 'add', 'https://receiver.example/hook', '--kinds', 'crawl.finished'];
      const id = (await done(...add, '--save', file, '--id')).trim();
      const secret = readFileSync(file, 'utf8').trim();
      expect(secret).toMatch(/^whsec_/);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(await refused(...add, '--save', file)).toMatch(/it exists already/);
      expect(await done(...add)).toMatch(/shown only once:\nwhsec_/);
      const listed = await done('webhooks', 'list');
      expect(listed).toMatch(
        new RegExp(`${id} +https://receiver\\.example/hook +crawl\\.finished +all +never`),
      );
      expect(listed).not.toContain('whsec_');
      expect(await done('webhooks', 'test', id)).toMatch(/^The test test_\S+ is being sent/);
      expect(await done('webhooks', 'deliveries', id)).toBe('Nothing has been sent yet.\n');
      const crawl = await newCrawl(pool);
      expect(await one('webhooks', 'replay', id, '--crawl', crawl, '--after', '0')).toEqual({ crawls: 1 });
      expect(await done('webhooks', 'enable', id)).toMatch(/is on/);
      expect(await done('webhooks', 'remove', id)).toMatch(/is removed/);
      expect(await refused('webhooks', 'test', id)).toMatch(/There is no webhook/);
    },
  );

  it('that cannot be are refused before anything is asked', async () => {
    expect(await refused('webhooks', 'add', 'ftp://receiver.example/')).toMatch(
      /The URL cannot be used: not a URL/,
    );
    expect(await refused('webhooks', 'add', 'https://a.example/', '--kinds', 'x')).toMatch(
      /--kinds cannot be/,
    );
    expect(await refused('webhooks', 'add', 'https://a.example/', '--id')).toMatch(/Give --save as well/);
    expect(await refused('webhooks', 'replay', 'x')).toMatch(/Give --since INSTANT, or --crawl ID/);
  });
});

it('audit-log tells who asked for what, by what is looked for', async () => {
  const id = await newCrawl(pool);
  await done('pause', id);
  const listed = await done('audit-log', '--target', `/v1/crawls/${id}`);
  expect(listed).toMatch(new RegExp(`\\n\\S+ \\S+ +key \\S+ +admin +POST +/v1/crawls/${id}/pause +200 `));
  expect(await one('audit-log', '--limit', '1', '--method', 'POST')).toMatchObject({
    method: 'POST',
    target: `/v1/crawls/${id}/pause`,
  });
  expect(await done('audit-log', '--until', '2001-01-01T00:00:00Z')).toBe('There is no such entry.\n');
  expect(await refused('audit-log', '--since', 'yesterday')).toMatch(/--since cannot be used/);
  const reader = await run(['audit-log'], await newKey(pool, '1', 'reader'));
  expect(reader).toMatchObject({ code: 3, stdout: '' });
});

it('seeds list shows what a crawl was given', async () => {
  const id = await newCrawl(pool, {}, ['https://a.example/', 'nonsense']);
  expect(await done('seeds', 'list', id)).toMatch(
    /^line +state +url +reason\n1 +good +https:\/\/a\.example\/\n2 +rejected +nonsense /,
  );
  expect(jsonLines(await done('seeds', 'list', id, '--state', 'rejected', '--json'))).toMatchObject([
    { line: 2 },
  ]);
});
