/** Every list that is given in pieces, walked in pieces of five: no entry is left out, none comes twice. */
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { routes } from '../../../api/routes/table.ts';
import { workOut } from '../../support/stints.ts';
import { searchJobs } from '../../../engine/search/indexing.ts';
import { setCap } from '../../../storage/caps/index.ts';
import { addExport } from '../../../storage/exports/index.ts';
import { storeComplaint } from '../../../storage/opt-outs/index.ts';
import { PostgresIndex } from '../../../storage/search/index.ts';
import { holdShape } from '../../../storage/traps/index.ts';
import {
  addHosts,
  addLetter,
  addReadings,
  addUrl,
  setState,
  tables,
  type UrlPlace,
} from '../../support/database/index.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { addPage, newCrawl, textOf, withApi } from './world.ts'; // prettier-ignore

/** More than nine, so that a number in digits does not sort as its text does. */
const most = 12;
const each = Array.from({ length: most }, (_, at) => at + 1);

const { pool, api } = withApi();
let crawl: string;
const origin = 'https://paged.example';
beforeAll(async () => {
  crawl = await newCrawl(
    pool,
    { search: true },
    each.map((n) => `${origin}/seed/${String(n)}`),
  );
  await fill();
});

/** Twelve or more entries for each list, in one crawl. */
async function fill(): Promise<void> {
  const pages: UrlPlace[] = [];
  for (const n of each) {
    const url = `${origin}/${String(n)}`;
    pages.push(
      await addPage(pool, crawl, url, {
        title: `Spider ${String(n)}`,
        text: `<p>spider ${String(n)}</p>`,
        links: [],
      }),
    );
    await addUrl(pool, crawl, `${url}.xml`, { kind: 1 });
    await addLetter(pool, crawl, await addUrl(pool, crawl, `${url}/dead`, { state: 'dead' }), 'gone');
    await holdShape(pool, crawl, String(pages[0]?.hostId), `/${String(n)}/*`, 'test', 60);
    await setCap(pool, `${String(n)}.example`, 1, null);
    await tables.optOut.add(pool, { domain: `${String(n)}.example` });
    await storeComplaint(pool, `${String(n)}.example`, 'too fast', null);
    await addExport(
      pool,
      crawl,
      { format: 'csv', choice: { fields: [], filter: {} }, target: 'folder' },
      most,
    );
    await newKey(pool, '1', 'reader');
    await newTenant(pool);
    await tables.event.add(pool, {
      crawl_id: crawl,
      number: 100 + n,
      kind: 'page.changed',
      data: changed(url),
    });
    expect((await ask(api.url, null, 'PATCH', `/v1/crawls/${crawl}`, { maxPages: 100 + n })).status).toBe(
      200,
    );
  }
  await addHosts(pool, most, (n) => `https://host${String(n)}.example`);
  for (const n of each) {
    await addUrl(pool, crawl, `https://host${String(n)}.example/`);
    const path = `/v1/hosts/${encodeURIComponent(`https://host${String(n)}.example`)}/quality`;
    expect((await ask(api.url, null, 'PATCH', path, { quality: n / 100 })).status).toBe(200);
  }
  await nearDuplicates(pages);
  await setState(pool, crawl, 'finished');
  for (let n = 0; n < most; n++) await newCrawl(pool);
  await workOut(searchJobs(pool, new PostgresIndex(pool), textOf), crawl);
}

const changed = (url: string): object => ({
  url,
  version: `${crawl}-2`,
  before: `${crawl}-1`,
  fetchedAt: '2026-01-02T00:00:00.000Z',
  fetchedBefore: '2026-01-01T00:00:00.000Z',
  status: 200,
  gone: false,
  bodyHash: null,
  textHash: null,
  fields: ['title'],
  wordsAdded: null,
  wordsRemoved: null,
  distance: null,
  minor: false,
});

/** To each page one that is like it. */
async function nearDuplicates(pages: readonly UrlPlace[]): Promise<void> {
  for (const [at, { hostId, key }] of pages.entries()) {
    const row = {
      host_id: hostId,
      crawl_id: crawl,
      key,
      words: 1,
      links: 0,
      noindex: false,
      nofollow: false,
      outlinks: '',
    };
    const [content] = await addReadings(pool, [row]);
    const print = {
      crawl_id: crawl,
      words: 100,
      simhash: at,
      sketch: Buffer.alloc(64),
      numbers: Buffer.alloc(4),
      bands: [],
    };
    const { id } = await tables.print.add(pool, { ...print, content_id: content });
    await tables.print.change(pool, { id }, { original: id });
    const twin = await addUrl(pool, crawl, `${origin}/twin/${String(at)}`);
    const [other] = await addReadings(pool, [{ ...row, key: twin.key }]);
    await tables.print.add(pool, { ...print, content_id: other, original: id, likeness: 0.9, distance: 1 });
  }
}

/** By what an entry of each list is known, and what is asked besides. */
const lists: Readonly<Record<string, { readonly by: string; readonly query?: string }>> = {
  '/v1/crawls': { by: 'id' },
  '/v1/crawls/{crawlId}/pages': { by: 'url' },
  '/v1/crawls/{crawlId}/dead-letters': { by: 'url' },
  '/v1/crawls/{crawlId}/hosts': { by: 'origin' },
  '/v1/dead-letters': { by: 'url', query: `host=${encodeURIComponent(origin)}` },
  '/v1/crawls/{crawlId}/quarantine': { by: 'id' },
  '/v1/crawls/{crawlId}/sitemaps': { by: 'url' },
  '/v1/search': { by: 'url', query: 'q=spider' },
  '/v1/crawls/{crawlId}/search': { by: 'url', query: 'q=spider' },
  '/v1/hosts': { by: 'origin' },
  '/v1/caps': { by: 'name' },
  '/v1/host-reviews': { by: 'origin' },
  '/v1/opt-outs': { by: 'domain' },
  '/v1/complaints': { by: 'id' },
  '/v1/crawls/{crawlId}/versions': { by: 'version' },
  '/v1/crawls/{crawlId}/seeds': { by: 'line' },
  '/v1/crawls/{crawlId}/near-duplicates': { by: 'url' },
  '/v1/crawls/{crawlId}/changes': { by: 'event' },
  '/v1/crawls/{crawlId}/exports': { by: 'id' },
  '/v1/crawls/{crawlId}/events': { by: 'id' },
  '/v1/keys': { by: 'id' },
  '/v1/tenants': { by: 'id' },
  '/v1/audit-log': { by: 'requestId' },
};

const answer = z.object({ items: z.array(z.record(z.string(), z.unknown())), next: z.string().nullable() });

/** At most so many pieces: a feed of an open crawl has no end. */
async function walk(path: string, by: string, query: string, limit: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let cursor: string | null = null; ;) {
    const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await ask(
      api.url,
      null,
      'GET',
      `${path}?limit=${String(limit)}&${query}${more}`,
    );
    expect(status, JSON.stringify(body)).toBe(200);
    const { items, next } = answer.parse(body);
    found.push(...items.map((item) => item[by]));
    if (next === null || next === cursor) return found;
    cursor = next;
  }
}

it('knows every list that has a cursor', () => {
  const paged = routes.filter(
    ({ method, docs }) => method === 'GET' && docs?.query?.shape['cursor'] !== undefined,
  );
  expect(Object.keys(lists).sort()).toEqual(paged.map(({ path }) => path).sort());
});

it.each(Object.entries(lists))('%s', async (route, { by, query = '' }) => {
  const path = route.replace('{crawlId}', crawl);
  const whole = await walk(path, by, query, 50);
  expect(whole.filter((name) => name === undefined)).toEqual([]);
  expect(whole.length).toBeGreaterThanOrEqual(most);
  expect(new Set(whole).size).toBe(whole.length);
  expect(await walk(path, by, query, 5)).toEqual(whole);
});
