/** Changes, versions and differences of pages (G15), by the API and by the verbs `changes`, `diff` and `events`. */
import { hash as digest } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createVersionReader } from '../../../engine/changes/read-version.ts';
import { followCrawl } from '../../../engine/changes/follow.ts';
import { NotHereYet } from '../../../storage/archive/index.ts';
import { setCrawlState } from '../../../storage/crawls/index.ts';
import { runCli, type CliResult } from '../../cli/run-cli.ts';
import { addUrl, changeCrawl, fromNow, tables } from '../../support/database/index.ts';
import { archiveIn, newCrawl, withServices, withServed } from './world.ts';
import { ownFolder } from '../../support/given.ts';

const { pool } = withServices();
const folder = ownFolder();
const archive = archiveIn(pool, folder);
const read = createVersionReader(archive);
const api = withServed(pool, {
  readVersion: (url, ...of) =>
    url === elsewhere ? Promise.reject(new NotHereYet('a segment')) : read(url, ...of),
});
let [first, second] = ['', ''];
const elsewhere = 'https://changes.example/elsewhere';

beforeAll(async () => {
  [first, second] = [await newCrawl(pool), await newCrawl(pool)];
  const { config } = await tables.crawl.row(pool, { id: second });
  await changeCrawl(pool, Number(second), { config: { ...config, changes: true } });
  await stored(first, 'https://changes.example/prices', 'Prices', 'A bridge costs nine millions.', -60);
  await stored(second, 'https://changes.example/prices', 'New prices', 'A bridge costs ten millions.', -30);
  await stored(first, 'https://changes.example/same', 'Same', 'Nothing is new here.', -60);
  await stored(second, 'https://changes.example/same', 'Same', 'Nothing is new here.', -29);
  await stored(first, elsewhere, 'One', 'One text.', -60);
  await stored(second, elsewhere, 'One', 'One text.', -28);
  for (const crawl of [first, second])
    for (const state of ['running', 'finished'] as const)
      await setCrawlState(pool, Number(crawl), state, null, null);
  expect(await followCrawl(pool, read, second, () => true)).toBe(3);
});

async function stored(crawl: string, url: string, title: string, text: string, at: number): Promise<void> {
  const body = Buffer.from(`<title>${title}</title><p>${text}</p>`);
  const hash = digest('sha256', body, 'buffer');
  await addUrl(pool, crawl, url, {
    ...{ state: 'done', status: 200, content_hash: hash, content_type: 'text/html', fetched_at: fromNow(at) },
  });
  const { known, ...kept } = await archive.put({
    ...{ hash, url, at: new Date(), remoteAddress: null, asked: {}, status: 200 },
    ...{ headers: {}, body, truncated: false },
  });
  if (!known) await tables.body.add(pool, { hash, ...kept });
}

const ask = async (where: string): Promise<{ status: number; body: unknown }> => {
  const answer = await fetch(`${api.url}/v1/crawls/${where}`);
  return { status: answer.status, body: await answer.json() };
};
const prices = 'https://changes.example/prices';
const query = (url: string): string => `?url=${encodeURIComponent(url)}`;
const verb = (...args: readonly string[]): Promise<CliResult> =>
  runCli(args, { ORBWEAVER_SERVER: api.url, ORBWEAVER_API_KEY: api.key, ORBWEAVER_DATA: folder });

describe('changes of pages', () => {
  it('are a list that ends with its crawl, and events of their own kind', async () => {
    const list = await ask(`${second}/changes`);
    expect(list).toMatchObject({
      status: 200,
      body: {
        items: [{ url: prices, version: `${second}-1`, before: `${first}-0`, fields: ['title', 'text'] }],
        ...{ next: null, more: false, compared: 3, forgotten: 0, dropped: 0, lost: 0 },
      },
    });
    expect((await ask(`${first}/changes`)).body).toMatchObject({ items: [], next: null });
    const kinds = async (wanted: string): Promise<string[]> => {
      const { items } = (await ask(`${second}/events?kinds=${wanted}`)).body as { items: { kind: string }[] };
      return items.map(({ kind }) => kind);
    };
    expect(await kinds('page.changed')).toEqual(['page.changed']);
    expect(await kinds('page.changed,crawl.finished')).toEqual(['crawl.finished', 'page.changed']);
    expect((await ask(`${second}/events?kinds=page.new`)).status).toBe(400);
  });

  it('are told by versions and differences, of this crawl and the one before', async () => {
    expect((await ask(`${second}/page-versions${query(prices)}`)).body).toMatchObject({
      items: [
        { version: `${second}-1`, crawlId: second, stored: true, change: { fields: ['title', 'text'] } },
        { version: `${first}-0`, crawlId: first, stored: true, change: null },
      ],
    });
    const diff = await ask(`${second}/diff${query('HTTPS://Changes.example:443/prices#top')}`);
    expect(diff).toMatchObject({
      status: 200,
      body: {
        ...{ from: `${first}-0`, to: `${second}-1` },
        fields: [{ field: 'title', before: 'Prices', after: 'New prices' }],
        text: { exact: true, leftOut: 0 },
      },
    });
    const back = await ask(`${second}/diff${query(prices)}&from=${second}-1&to=${first}-0`);
    expect(back.body).toMatchObject({ fields: [{ before: 'New prices', after: 'Prices' }] });
    const same = await ask(`${second}/diff${query('https://changes.example/same')}`);
    expect(same.body).toMatchObject({ change: null, fields: [] });
  });

  it('are refused where there is nothing to compare', async () => {
    expect((await ask(`${first}/diff${query(prices)}`)).status).toBe(404);
    expect((await ask(`${second}/diff${query(prices)}&from=999-1`)).status).toBe(404);
    expect((await ask(`${second}/diff${query('mailto:a@b.example')}`)).status).toBe(422);
    expect((await ask(`${second}/diff${query(elsewhere)}`)).status).toBe(409);
    expect((await ask(`${second}/page-versions${query('https://unknown.example/')}`)).body).toEqual({
      items: [],
    });
    expect((await ask(`99999/changes`)).status).toBe(404);
  });

  it('are shown by the verbs', async () => {
    const list = await verb('changes', second);
    expect(list.code).toBe(0);
    expect(list.stdout).toContain('title, text (+1 −1 words)');
    expect(list.stderr).toBe('');
    const row = { crawl_id: Number(second) };
    await tables.crawlChanges.change(pool, row, { dropped: 7, lost: 1 });
    const { stderr } = await verb('changes', second);
    expect(stderr).toBe(
      '7 older versions of pages are not kept any more.\n1 answer could not be compared: a body is not stored any more.\n',
    );
    await tables.crawlChanges.change(pool, row, { dropped: 0, lost: 0 });
    expect((await verb('changes', second, prices)).stdout).toContain(`${first}-0`);
    const diff = await verb('diff', second, prices);
    expect(diff.code).toBe(0);
    expect(diff.stdout).toContain('A bridge costs [-nine-]{+ten+} millions.');
    expect(diff.stdout).toContain('  + New prices');
    expect((await verb('diff', second, 'https://changes.example/same')).stdout).toContain('Nothing differs');
    expect((await verb('diff', first, prices)).code).not.toBe(0);
    expect((await verb('events', second, '--kinds', 'page.changed')).stdout).not.toContain('crawl.finished');
  });
});
