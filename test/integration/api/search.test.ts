/** Searches by the texts of pages: what is found, in which order, by which filters, and how an index comes and goes. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../../contracts/http/problem.ts';
import { searchAnswer, type SearchAnswerView, type SearchIndexView } from '../../../contracts/http/search.ts';
import { withOwnFaults } from '../../../activities/failures.ts';
import { failureTypes } from '../../../contracts/failures.ts';
import { searchJobs } from '../../../engine/search/indexing.ts';
import { removeBatch } from '../../../storage/crawls/index.ts';
import {
  dropRemoved,
  indexRows,
  openIndex,
  openIndexes,
  PostgresIndex,
  restartIndex,
  type SearchIndex,
} from '../../../storage/search/index.ts';
import { rowsOfCrawl, setState, tables } from '../../support/database/index.ts';
import { callOf, workOut } from '../../support/stints.ts';
import { runCli } from '../../cli/run-cli.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { addPage, getOk, newCrawl, newRunningCrawl, serve, storeBody, textOf, withApi } from './world.ts';

const { pool, api } = withApi();

const indexAll = async (crawl: string): Promise<'over' | 'waits'> => {
  const index = searchJobs(pool, new PostgresIndex(pool), textOf);
  for (;;) {
    const { over, waitMs } = await index.work(callOf(crawl));
    if (over || waitMs > 0) return over ? 'over' : 'waits';
  }
};
const search = async (crawl: string, q: string, more = ''): Promise<SearchAnswerView> =>
  searchAnswer.parse(await getOk(`${api.url}/v1/crawls/${crawl}/search?q=${encodeURIComponent(q)}${more}`));
const paths = ({ items }: SearchAnswerView): string[] => items.map(({ url }) => new URL(url).pathname);
const page = (text: string, title = 'A page') => ({ title, text: `<p>${text}</p>`, links: [] });

describe('a search', () => {
  let crawl: string;
  beforeAll(async () => {
    crawl = await newCrawl(pool, { search: true });
    const add = (path: string, content: ReturnType<typeof page>, language = 'en', type = 'text/html') =>
      addPage(pool, crawl, `https://${language}.example${path}`, content, { content_type: type }).then(
        ({ hostId, key }) =>
          tables.reading.change(pool, { host_id: hostId, crawl_id: crawl, key }, { language }),
      );
    await add('/spiders', page('Spiders weave webs. A polite crawler waits.', 'Spiders'));
    await add('/crawlers', page('A crawler that is polite; crawling takes patience.', 'On crawlers'));
    await add('/weaving', page(`${'Cloth and thread. '.repeat(40)} A spider is mentioned once.`));
    await add('/code', page('A list&lt;gossamer> of threads'));
    await add('/plain', page('Spiders in plain text'), 'en', 'text/plain; charset=utf-8');
    await add('/netze', page('Spinnen weben Netze. Die Häuser der Spinnen.'), 'de');
    await add('/tokyo', page('東京都に住むクモの話'), 'ja');
    await setState(pool, crawl, 'finished', 'complete');
    expect(await indexAll(crawl)).toBe('over');
  });

  it('finds words by their stems, those in titles first, and shows them', async () => {
    const answer = await search(crawl, 'spider');
    expect(paths(answer)[0]).toBe('/spiders');
    expect(paths(answer).sort()).toEqual(['/plain', '/spiders', '/weaving']);
    expect(answer).toMatchObject({ found: 3, complete: true, next: null });
    expect(answer.items[0]).toMatchObject({ crawlId: crawl, title: 'Spiders', language: 'en', status: 200 });
    expect(answer.items[0]?.snippet).toContainEqual({ text: 'Spiders', hit: true });
    const once = answer.items.find(({ url }) => url.endsWith('/weaving'));
    expect(once?.snippet.filter(({ hit }) => hit)).toEqual([{ text: 'spider', hit: true }]);
  });

  it.each([
    ['polite crawler', ['/crawlers', '/spiders']],
    ['"polite crawler"', ['/spiders']],
    ['"polite crawler" or spiders', ['/spiders']],
    ['"crawling patience" or crawlers', []],
    ['crawler -webs', ['/crawlers']],
    ['crawler -"polite crawler"', ['/crawlers']],
    ['gossamer', ['/code']],
    ['haus spinne', ['/netze']],
    ['東京都', ['/tokyo']],
    ['nowhere', []],
    ["' | ! & <-> :*", null],
    ['the', []],
  ])('%s', async (q, expected) => {
    if (expected === null) {
      const { status } = await fetch(`${api.url}/v1/crawls/${crawl}/search?q=${encodeURIComponent(q)}`);
      expect(status).toBe(422);
    } else expect(paths(await search(crawl, q)).sort()).toEqual(expected);
  });

  it.each([
    ['&host=https://en.example', 3],
    ['&host=https://de.example', 0],
    ['&language=en', 3],
    ['&language=fr', 0],
    ['&status=2xx', 3],
    ['&status=404', 0],
    ['&contentType=text/plain', 1],
    ['&contentType=text/*', 3],
    ['&since=2020-01-01T00:00:00Z', 3],
    ['&until=2020-01-01T00:00:00Z', 0],
  ])('can be narrowed: %s', async (filter, count) => {
    expect((await search(crawl, 'spider', filter)).found).toBe(count);
  });

  it('shows a text as it was written, where words have no spaces between them', async () => {
    const [hit] = (await search(crawl, '東京都')).items;
    expect(hit?.snippet.map(({ text }) => text).join('')).toMatch(/^東京都に住む/);
  });

  it('comes in parts', async () => {
    const whole = paths(await search(crawl, 'spider'));
    const parts: string[] = [];
    for (let cursor = ''; ;) {
      const part = await search(crawl, 'spider', `&limit=1${cursor}`);
      parts.push(...paths(part));
      if (part.next === null) break;
      cursor = `&cursor=${encodeURIComponent(part.next)}`;
    }
    expect(parts).toEqual(whole);
  });

  it('is over all indexed crawls of the tenant, and over no other', async () => {
    const other = await newCrawl(pool, { search: true });
    await addPage(pool, other, 'https://other.example/', page('Another spider'));
    await setState(pool, other, 'finished', 'complete');
    await indexAll(other);
    const all = async (query: string): Promise<SearchAnswerView> =>
      searchAnswer.parse(await getOk(`${api.url}/v1/search?q=spider${query}`));
    expect(new Set((await all('')).items.map(({ crawlId }) => crawlId))).toEqual(new Set([crawl, other]));
    expect((await all(`&crawl=${other}`)).found).toBe(1);
    const key = await newKey(pool, await newTenant(pool), 'reader');
    const theirs = await ask<SearchAnswerView>(api.url, key, 'GET', '/v1/search?q=spider');
    expect(theirs.body).toMatchObject({ items: [], found: 0 });
    expect((await ask(api.url, key, 'GET', `/v1/search?q=spider&crawl=${crawl}`)).status).toBe(404);
    expect((await ask(api.url, key, 'GET', `/v1/crawls/${crawl}/search?q=spider`)).status).toBe(404);
  });

  it('says over what it looked: over nothing, or over an index that is still being made', async () => {
    const [open, key] = [
      await newRunningCrawl(pool, { search: true }),
      await newKey(pool, await newTenant(pool), 'reader'),
    ];
    expect(await search(open, 'spider')).toMatchObject({ found: 0, crawls: 1, building: [open] });
    const cli = async (...options: string[]) =>
      (await runCli(['search', 'spider', '--server', api.url, ...options])).stdout;
    expect(await cli('--crawl', open)).toContain(`The index of crawl ${open} is still being made`);
    expect(await cli('--crawl', crawl)).not.toContain('being made');
    const nothing = await ask<SearchAnswerView>(api.url, key, 'GET', '/v1/search?q=spider');
    expect(nothing.body).toMatchObject({ items: [], crawls: 0, building: [] });
    expect(await cli('--key', key)).toContain('No crawl is indexed for searches: orbweaver index ID');
  });
});

describe('an index', () => {
  it('is built when somebody asks for it; a search without one says how to get it', async () => {
    const crawl = await newCrawl(pool);
    await addPage(pool, crawl, 'https://a.example/', page('A spider'));
    await setState(pool, crawl, 'finished', 'complete');
    const path = `/v1/crawls/${crawl}/search`;
    const refused = await ask<Problem>(api.url, api.key, 'GET', `${path}?q=spider`);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringContaining(`orbweaver index ${crawl}`),
    ]);
    const index = (method: 'GET' | 'POST') => ask<SearchIndexView>(api.url, api.key, method, `${path}/index`);
    expect((await index('GET')).body).toMatchObject({ state: 'none', looked: 0 });
    expect(await index('POST')).toMatchObject({ status: 200, body: { state: 'building' } });
    expect(paths(await search(crawl, 'spider'))).toEqual([]);
    await indexAll(crawl);
    expect((await index('GET')).body).toMatchObject({ state: 'ready', looked: 1, lost: 0 });
    expect(paths(await search(crawl, 'spider'))).toEqual(['/']);
  });

  it('follows its crawl: new pages are found, changed ones as they are now, and copies and what is gone not', async () => {
    const crawl = await newRunningCrawl(pool, { search: true });
    const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);
    const add = (path: string, text: string, seconds: number) =>
      addPage(pool, crawl, `https://a.example${path}`, page(text), { fetched_at: ago(seconds) });
    const changing = await add('/changing', 'It says spider', 100);
    const going = await add('/going', 'It says spider too', 99);
    expect(await indexAll(crawl)).toBe('waits');
    expect(paths(await search(crawl, 'spider')).sort()).toEqual(['/changing', '/going']);
    await add('/new', 'A new spider', 50);
    const url = (key: Buffer) => ({ crawl_id: crawl, key });
    await tables.url.change(pool, url(going.key), { state: 'dead', reason: 'gone', fetched_at: ago(40) });
    const changed = storeBody('<p>It says beetle now</p>');
    await tables.url.change(pool, url(changing.key), { fetched_at: ago(30), content_hash: changed });
    await indexAll(crawl);
    expect(paths(await search(crawl, 'spider'))).toEqual(['/new']);
    expect(paths(await search(crawl, 'beetles'))).toEqual(['/changing']);
    // Once more from the last place: nothing is there twice.
    await setState(pool, crawl, 'finished', 'complete');
    expect(await indexAll(crawl)).toBe('over');
    expect((await search(crawl, 'page')).found).toBe(2);
    expect(await rowsOfCrawl(pool, crawl)).toMatchObject({ search_page: 2, job: 1 });
    await fetch(`${api.url}/v1/crawls/${crawl}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${api.key}` },
    });
    while (await removeBatch(pool));
    // Another process takes the pages out, and is not through yet.
    await dropRemoved(pool, { drop: () => Promise.resolve() });
    expect(await rowsOfCrawl(pool, crawl)).toMatchObject({ search_page: 2, job: 1 });
    await dropRemoved(pool, new PostgresIndex(pool));
    expect(await rowsOfCrawl(pool, crawl)).toMatchObject({ search_page: 0, job: 0 });
  });

  it('may be down: searches say so, and indexing is tried again', async () => {
    const crawl = await newRunningCrawl(pool, { search: true });
    const fetched_at = new Date(Date.now() - 60_000);
    await addPage(pool, crawl, 'https://d.example/', page('A spider'), { fetched_at });
    const refusing = await openIndex(pool, { url: 'http://127.0.0.1:1', index: 'pages' });
    const down = await serve(pool, { search: refusing });
    const { status, body } = await ask<Problem>(
      down.url,
      down.key,
      'GET',
      `/v1/crawls/${crawl}/search?q=spider`,
    );
    await down.stop();
    expect([status, body.detail]).toEqual([503, 'The index for searches does not answer. Try again soon.']);
    const index = searchJobs(pool, refusing, textOf);
    const failure = withOwnFaults(() => index.work(callOf(crawl)));
    await expect(failure).rejects.toMatchObject({ type: failureTypes.infrastructure, nonRetryable: false });
    expect(await indexAll(crawl)).toBe('waits');
    expect(paths(await search(crawl, 'spider'))).toEqual(['/']);
  });

  it('begins anew if it is asked to in the middle of a batch, of which nothing is noted', async () => {
    const crawl = await newCrawl(pool, { search: true });
    await addPage(pool, crawl, 'https://r.example/', page('A spider'));
    await setState(pool, crawl, 'finished', 'complete');
    const here = new PostgresIndex(pool);
    const puts: number[] = [];
    const asked = Object.assign(new PostgresIndex(pool), {
      put: async (batch: Parameters<SearchIndex['put']>[0]) => {
        puts.push(batch.pages.length);
        await here.put(batch);
        if (puts.length === 1) await restartIndex(pool, crawl);
      },
    });
    await workOut(searchJobs(pool, asked, textOf), crawl);
    expect(puts.filter((some) => some > 0)).toEqual([1, 1]);
    const [row] = await indexRows.find(pool, crawl, crawl);
    expect(row).toMatchObject({ state: 'finished', progress: { looked: 1 } });
  });

  it('is built anew here if another index has it', async () => {
    const crawl = await newCrawl(pool, { search: true });
    await addPage(pool, crawl, 'https://c.example/', page('A spider'));
    await setState(pool, crawl, 'finished', 'complete');
    const there = { name: 'opensearch:there', put: () => Promise.resolve(), settle: () => Promise.resolve() };
    const elsewhere = Object.assign(new PostgresIndex(pool), there);
    await workOut(searchJobs(pool, elsewhere, textOf), crawl);
    const index = async () => (await indexRows.find(pool, crawl, crawl))[0];
    expect(await index()).toMatchObject({
      state: 'finished',
      progress: { store: 'opensearch:there', looked: 1 },
    });
    const isOpen = async (): Promise<boolean> =>
      (await openIndexes(pool, '0', 1_000, 'postgres')).some(({ id }) => id === crawl);
    expect(await isOpen()).toBe(true);
    expect(await getOk(`${api.url}/v1/crawls/${crawl}/search/index`)).toMatchObject({ state: 'building' });
    expect(await indexAll(crawl)).toBe('over');
    expect(await index()).toMatchObject({
      state: 'finished',
      progress: { store: 'postgres', looked: 1 },
    });
    expect(paths(await search(crawl, 'spider'))).toEqual(['/']);
    expect(await isOpen()).toBe(false);
  });

  it('learns at the end which copy stands for the others and what is held, and of a crawl that ran again for a moment', async () => {
    const crawl = await newRunningCrawl(pool, { search: true });
    const minuteAgo = new Date(Date.now() - 60_000);
    const add = (path: string, columns = {}) =>
      addPage(pool, crawl, `https://b.example${path}`, page(`It says spider at ${path.slice(1)}`), {
        fetched_at: minuteAgo,
        ...columns,
      });
    const original = await add('/original');
    const alias = { alias_host: original.hostId, alias_key: original.key };
    const [copy, held, other] = [await add('/copy'), await add('/held'), await add('/other', alias)];
    const twin = { fetched_at: minuteAgo, ...alias };
    await addPage(pool, crawl, 'https://b.example/twin', page('It says spider at original'), twin);
    expect(await indexAll(crawl)).toBe('waits');
    // A page that has only its text in common with another may be one of its own any moment.
    const found = ['/copy', '/held', '/original', '/other'];
    expect(paths(await search(crawl, 'spider')).sort()).toEqual(found);

    const url = (key: Buffer) => ({ crawl_id: crawl, key });
    await tables.url.change(pool, url(copy.key), alias);
    await tables.url.change(pool, url(held.key), { state: 'excluded', reason: 'soft-404' });
    await tables.url.change(pool, url(other.key), { alias_host: null, alias_key: null });
    await setState(pool, crawl, 'finished', 'complete');
    const isOpen = async (): Promise<boolean> =>
      (await openIndexes(pool, '0', 1_000, 'postgres')).some(({ id }) => id === crawl);
    expect(await isOpen()).toBe(true);
    expect(await indexAll(crawl)).toBe('over');
    expect(paths(await search(crawl, 'spider')).sort()).toEqual(['/original', '/other']);
    expect(await isOpen()).toBe(false);

    await add('/late', { fetched_at: new Date() });
    await setState(pool, crawl, 'finished', 'complete');
    expect(await isOpen()).toBe(true);
    expect(await indexAll(crawl)).toBe('over');
    expect(paths(await search(crawl, 'spider')).sort()).toEqual(['/late', '/original', '/other']);
  });
});
