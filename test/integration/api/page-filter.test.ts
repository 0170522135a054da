/** Pages by host, status, media type and time: what comes, in which order, and at what price among very many. */
import { request as httpRequest } from 'node:http';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Problem } from '../../../contracts/http/problem.ts';
import type { PageView } from '../../../contracts/http/results.ts';
import type { Queryable } from '../../../storage/postgres/index.ts';
import { listPages, listPagesOfHost } from '../../../storage/pages/index.ts';
import { addHost, addUrl, addUrls, hostIdOf, setState, tidyTables } from '../../support/database/index.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { planOf, type PlanNode } from '../../support/plans.ts';
import { getOk, addPage, newCrawl, newRunningCrawl, withApi } from './world.ts';

const { pool, api } = withApi();
let crawl: string;
/** 50,000 pages of one host; the last one alone answered 418. */
let large: string;

const begin = Date.parse('2026-01-01T00:00:00Z');
const at = (second: number): Date => new Date(begin + second * 1_000);

beforeAll(async () => {
  crawl = await newCrawl(pool, {}, ['https://a.example/']);
  const content = { title: 'x', text: 'x', links: ['https://a.example/linked'] };
  const pages: [string, number, number, string][] = [
    ['https://a.example/1', 1, 200, 'text/html; charset=utf-8'],
    ['https://b.example/2', 2, 200, 'Text/HTML'],
    ['https://a.example/3', 3, 404, 'text/html'],
    ['https://a.example/4', 4, 410, 'text/plain'],
    ['https://b.example/5', 5, 500, 'text/html, text/plain'],
    ['https://a.example/6', 6, 200, 'image/svg+xml'],
    ['https://b.example/7', 7, 200, 'image/png ;q=1'],
    ['https://a.example/8', 8, 404, 'text/htmlx'],
  ];
  for (const [url, second, status, type] of pages)
    await addPage(pool, crawl, url, content, { fetched_at: at(second), status, content_type: type });
  await addUrl(pool, crawl, 'https://a.example/9', {
    state: 'dead', status: 404, fetched_at: at(9), content_type: null,
  }); // prettier-ignore
  // In no feed: queued again, and a sitemap.
  await addUrl(pool, crawl, 'https://a.example/again', { status: 404, fetched_at: at(5) });
  await addUrl(pool, crawl, 'https://a.example/map', {
    state: 'done',
    status: 200,
    fetched_at: at(5),
    kind: 1,
  });
  await setState(pool, crawl, 'finished', 'complete');

  large = await newRunningCrawl(pool, {}, ['https://large.example/']);
  const small = await addHost(pool, 'https://small.example');
  const most = await addHost(pool, 'https://large.example');
  const stored = Array.from({ length: 50_000 }, (_, n) => ({
    ...{ host_id: (n + 1) % 10_000 === 1 ? small : most, url: `https://large.example/${String(n + 1)}` },
    ...{
      state: 'done',
      status: n + 1 === 50_000 ? 418 : 200,
      bytes: 1,
      fetches: 1,
      content_type: 'text/html',
    },
    fetched_at: new Date(at(0).getTime() + n + 1),
  }));
  await addUrls(pool, large, stored);
  await tidyTables(pool, 'url');
});

interface Pages {
  readonly items: PageView[];
  readonly next: string | null;
  readonly more: boolean;
}

const answerOf = (id: string, query: Readonly<Record<string, string>>): Promise<Pages> =>
  getOk(`${api.url}/v1/crawls/${id}/pages?${new URLSearchParams(query).toString()}`);

/** The answers one after another, as long as there is more. */
async function answersOf(
  id: string,
  query: Readonly<Record<string, string>>,
  cursor: string | null = null,
): Promise<Pages[]> {
  const answer = await answerOf(id, { ...query, ...(cursor !== null && { cursor }) });
  return answer.more && answer.next !== null
    ? [answer, ...(await answersOf(id, query, answer.next))]
    : [answer];
}

const numbers = (answers: readonly Pages[]): string =>
  answers.flatMap(({ items }) => items.map(({ url }) => url.slice(-1))).join('');

const [a, b] = ['https://a.example', 'https://b.example'];

describe('pages', () => {
  it.each<[Record<string, string>, string]>([
    [{}, '123456789'],
    [{ host: a }, '1346' + '89'],
    [{ host: 'HTTPS://B.Example:443/' }, '257'],
    [{ host: 'https://nobody.example' }, ''],
    [{ status: '404' }, '389'],
    [{ status: '4xx' }, '3489'],
    [{ status: '5XX' }, '5'],
    [{ status: '999' }, ''],
    [{ contentType: 'text/html' }, '1235'],
    [{ contentType: 'TEXT/*' }, '123458'],
    [{ contentType: 'image/svg+xml' }, '6'],
    [{ contentType: 'image/svg xml' }, '6'],
    [{ contentType: 'image/*' }, '67'],
    [{ since: at(6).toISOString() }, '6789'],
    [{ since: '2026-01-01T00:00:06.000001Z' }, '789'],
    [{ since: '9999-12-31T23:59:59Z' }, ''],
    [{ since: '1969-01-01T00:00:00Z' }, '123456789'],
    [{ host: a, status: '4xx', contentType: 'text/*' }, '348'],
    [{ host: a, status: '404', since: at(4).toISOString() }, '89'],
    [{ host: b, status: '404' }, ''],
  ])('that fit %o come in their order, however they are asked for', async (query, expected) => {
    for (const limit of ['1000', '2', '1'])
      for (const fields of [{}, { fields: 'links,text' }]) {
        const answers = await answersOf(crawl, { ...query, ...fields, limit });
        expect(numbers(answers)).toBe(expected);
        expect(answers.at(-1)).toMatchObject({ next: null, more: false });
      }
  });

  it('of a crawl that is open go on behind the same cursor, which goes with any filter', async () => {
    const open = await newRunningCrawl(pool, {}, [`${a}/`]);
    const [none] = await answersOf(open, { host: 'https://later.example' });
    expect(none).toMatchObject({ items: [], more: false, next: expect.any(String) as string });
    const add = (url: string, second: number, status: number): Promise<unknown> =>
      addPage(pool, open, url, { title: 'x', text: url, links: [] }, { fetched_at: at(second), status });
    await add('https://later.example/1', 1, 200);
    await add('https://later.example/2', 2, 404);
    const found = await answersOf(open, { host: 'https://later.example' }, none?.next ?? null);
    expect(numbers(found)).toBe('12');
    const last = found.at(-1)?.next ?? null;
    await add('https://later.example/3', 3, 404);
    await add(`${a}/4`, 4, 404);
    expect(numbers(await answersOf(open, { host: 'https://later.example' }, last))).toBe('3');
    expect(numbers(await answersOf(open, { status: '404' }, last))).toBe('34');
    expect(numbers(await answersOf(open, {}, last))).toBe('34');
  });

  it.each<[string, string, RegExp]>([
    ['host', 'a.example', /^host: "a\.example" is not an origin such as https:/],
    ['status', '4x', /^status: neither a status such as 404 nor a class such as 4xx/],
    ['status', '9xx', /^status: neither a status such as 404 nor a class such as 4xx \(1xx to 5xx\)/],
    ['status', '000', /^status: neither a status such as/],
    ['status', '404,410', /^status: neither a status such as/],
    ['contentType', 'html', /^contentType: not a media type such as text\/html or image\/\*/],
    ['contentType', '*/*', /^contentType: not a media type such as/],
    ['since', 'yesterday', /^since: /],
    ['type', 'text/html', /type/],
  ])('are refused where %s is %s, in one sentence', async (name, value, sentence) => {
    for (const list of ['pages', 'export']) {
      const query = new URLSearchParams({ [name]: value }).toString();
      const response = await fetch(`${api.url}/v1/crawls/${crawl}/${list}?${query}`);
      expect(response.status).toBe(400);
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(((await response.json()) as Problem).detail).toMatch(sentence);
    }
  });

  it('are those of the caller’s crawl alone, though hosts are everybody’s', async () => {
    const tenant = await newTenant(pool);
    const key = await newKey(pool, tenant, 'admin');
    const query = `?host=${encodeURIComponent(a)}&status=4xx`;
    for (const list of ['pages', 'export'])
      expect((await ask(api.url, key, 'GET', `/v1/crawls/${crawl}/${list}${query}`)).status).toBe(404);
    const started = await ask<{ id: string }>(api.url, key, 'POST', '/v1/crawls', { seeds: [`${a}/`] });
    const own = started.body.id;
    expect(started.status).toBe(201);
    const { body } = await ask<Pages>(api.url, key, 'GET', `/v1/crawls/${own}/pages${query}`);
    expect(body).toMatchObject({ items: [], more: false });
  });
});

describe('a filter that fits next to nothing', () => {
  it('is looked for 20,000 pages at a time; the cursor goes on where the look ended', async () => {
    for (const query of [{ status: '418' }, { status: '418', host: 'https://large.example' }]) {
      const answers = await answersOf(large, query);
      expect(answers.map(({ items, more }) => [items.length, more])).toEqual([
        [0, true],
        [0, true],
        [1, false],
      ]);
      // The crawl is open: later pages may follow.
      expect(answers.at(-1)?.next).not.toBeNull();
    }
    const withLinks = await answersOf(large, { status: '418', fields: 'links' });
    expect(withLinks.flatMap(({ items }) => items)).toHaveLength(1);
  });

  it('is found at once where it is a host with few URLs', async () => {
    const [first, ...rest] = await answersOf(large, { host: 'https://small.example' });
    expect([first?.items.length, rest]).toEqual([5, []]);
    expect(await answersOf(large, { host: 'https://small.example', status: '418' })).toMatchObject([
      { items: [], more: false },
    ]);
  });

  it('reads no more rows than that, whoever made the plan', async () => {
    const small = await hostIdOf(pool, 'https://small.example');
    const common = {
      ...{
        crawlId: large,
        micros: 0,
        hostId: '0',
        key: '',
        horizon: null,
        limit: 100,
        fields: [],
        mostBytes: 1,
      },
      ...{ leastStatus: 418, mostStatus: 418, mediaType: null, kinds: [0] as const },
    };
    const anywhere = { ...common, host: null, mostLooked: 20_000 };
    const feed = await planOf(pool, (db) => listPages(db, anywhere));
    expect(scans(feed, 'url_pages')).toEqual([20_000]);
    const ofHost = await planOf(pool, (db: Queryable) =>
      listPagesOfHost(db, { ...common, host: Number(small) }),
    );
    expect(scans(ofHost, 'url_pages')).toEqual([]);
    expect(Math.max(...ofHost.map((node) => node['Actual Rows'] ?? 0))).toBe(5);
    // One that fits everything is not looked at further than the answer goes.
    const all = await planOf(pool, (db) => listPages(db, { ...anywhere, leastStatus: 200, mostStatus: 299 }));
    expect(scans(all, 'url_pages')).toEqual([100]);
  });
});

const scans = (plan: readonly PlanNode[], index: string): (number | undefined)[] =>
  plan.filter((node) => node['Index Name'] === index).map((node) => node['Actual Rows']);

describe('an export', () => {
  it('has the pages that fit, as JSON lines and as CSV', async () => {
    const query = `host=${encodeURIComponent(a)}&status=4xx&contentType=text/*`;
    const get = (format: string): Promise<Response> =>
      fetch(`${api.url}/v1/crawls/${crawl}/export?${query}&format=${format}`);
    const lines = (await (await get('jsonl')).text()).trimEnd().split('\n');
    const { items } = await answerOf(crawl, { host: a, status: '4xx', contentType: 'text/*' });
    expect(lines.map((line) => JSON.parse(line) as PageView)).toEqual(items);
    const csv = (await (await get('csv')).text()).trimEnd().split('\r\n');
    expect(csv.slice(1).map((line) => line.split(',')[0])).toEqual(items.map(({ url }) => url));
  });

  it('goes on to the end past what fits nothing', async () => {
    const text = await (await fetch(`${api.url}/v1/crawls/${large}/export?status=418`)).text();
    expect(text.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(text)).toMatchObject({ url: 'https://large.example/50000', status: 418 });
  });

  it('that fits nothing is looked for no longer once its reader has left', async () => {
    const query = pool.query.bind(pool) as (question: { name?: string }) => Promise<unknown>;
    let looks = 0;
    const { promise: gone, resolve: hasGone } = Promise.withResolvers<undefined>();
    const asked = httpRequest(`${api.url}/v1/crawls/${large}/export?status=499`);
    asked.on('error', () => undefined);
    const spy = vi.spyOn(pool, 'query').mockImplementation((async (question: { name?: string }) => {
      const answer = await query(question);
      if (question.name !== 'list-pages' || ++looks > 1) return answer;
      await new Promise((closed) => {
        asked.once('close', closed).destroy();
      });
      // Whoever has answered these has heard that the other one left.
      for (let n = 0; n < 3; n++) await fetch(`${api.url}/healthz`);
      hasGone(undefined);
      return answer;
    }) as never);
    onTestFinished(() => {
      spy.mockRestore();
    });
    asked.end();
    await gone;
    for (let n = 0; n < 3; n++) {
      const others = await fetch(`${api.url}/v1/crawls/${crawl}/export`);
      expect((await others.text()).trimEnd().split('\n')).toHaveLength(9);
    }
    await expect.poll(() => pool.idleCount === pool.totalCount).toBe(true);
    // One, and those of the three exports that were whole.
    expect(looks).toBe(4);
  });
});
