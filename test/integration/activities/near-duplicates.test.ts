/**
 * Near-duplicates (F21) from the page to the list: marked, never dropped, judged again when the original changes.
 *
 * @module-tag long
 */
import { expect, it } from 'vitest';
import type { PageView } from '../../../contracts/http/results.ts';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { countUnjudged, judgeAlike, listClusters } from '../../../storage/alike/index.ts';
import { rankCopies } from '../../../storage/pages/index.ts';
import { inTransaction } from '../../../storage/postgres/index.ts';
import { seeded } from '../../../bench/content/alike-set.ts';
import { allPages } from '../../support/all-pages.ts';
import { tables } from '../../support/database/index.ts';
import { until } from '../../support/until.ts';
import { withFetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { startSite, type Answer } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const random = seeded(5);
const some = (count: number): string[] =>
  Array.from({ length: count }, () =>
    Math.floor(5_000 ** random())
      .toString(10)
      .replaceAll(/\d/g, (digit) => 'aeiounrstl'[Number(digit)] ?? ''),
  );
const html =
  (text: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><p>${text.join(' ')}</p>`);
  };

interface Crawled {
  readonly origin: string;
  readonly crawl: number;
  readonly pages: ReadonlyMap<string, PageView>;
}

async function crawled(
  nearDuplicates: boolean,
  texts: Readonly<Record<string, readonly string[]>>,
): Promise<Crawled> {
  const site = await startSite();
  site.answers = Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, html(text)]));
  const host = await fetching.host(site.origin);
  const crawl = await fetching.crawl({ scope: 'host', nearDuplicates, delaySeconds: 0 }, [`${site.origin}/`]);
  const read = async (path: string): Promise<void> => {
    await fetching.queue(crawl, host, path);
    await until(`${path} is read`, async () => {
      await fetching.role().fetchSlice(host);
      await readBodies(fetching, host);
      const [row] = await tables.url.rows(pool, { crawl_id: crawl, url: site.origin + path });
      return row?.state === 'done' && row.stage === 0;
    });
  };
  for (const path of Object.keys(texts)) await read(path);
  await judgeAlike(pool, 60_000);
  // The pages of an open crawl can be read up to a moment ago.
  await tables.crawl.change(pool, { id: crawl }, { state: 'finished' });
  return { origin: site.origin, crawl, pages: await pagesOf(crawl) };
}

async function pagesOf(crawl: number): Promise<ReadonlyMap<string, PageView>> {
  const pages = new Map<string, PageView>();
  for await (const page of allPages(pool, String(crawl))) pages.set(new URL(page.url).pathname, page);
  return pages;
}

const article = some(300);
const edited = (text: readonly string[], at: number): string[] => text.toSpliced(at, 1, 'another');
const product = (number: number): string[] => [
  ...article.slice(0, 80),
  ...Array.from({ length: 6 }, (_, at) => String(number * 1_000 + at)),
  ...article.slice(80, 120),
];

it('marks a page with the page whose text it nearly has, and keeps both', async () => {
  const { origin, crawl, pages } = await crawled(true, {
    '/first': article,
    '/second': edited(article, 40),
    '/other': some(300),
    '/third': edited(article, 200),
    '/product/1': product(1),
    '/product/2': product(2),
    '/short': ['a', 'few', 'words'],
  });
  expect(pages.size).toBe(7);
  const marked = [...pages].filter(([, page]) => page.nearDuplicateOf !== null).map(([path]) => path);
  expect(marked).toEqual(['/second', '/third']);
  const near = pages.get('/second')?.nearDuplicateOf;
  expect(near).toMatchObject({ url: `${origin}/first` });
  expect(near?.likeness).toBeGreaterThan(0.9);
  expect(pages.get('/second')).toMatchObject({ duplicateOf: null, words: 300 });

  const clusters = await listClusters(pool, String(crawl), '0', 10, 10);
  expect(clusters).toMatchObject([{ url: `${origin}/first`, pages: 2 }]);
  expect(clusters[0]?.alike.map(({ url }) => url)).toEqual([`${origin}/second`, `${origin}/third`]);
  expect(await countUnjudged(pool, String(crawl), 10)).toEqual([{ waiting: 0 }]);

  const explained = await explainUrlOf(pool, String(crawl), `${origin}/third`, 'Orbweaver/0.0');
  expect(explained?.decisions.find(({ verdict }) => verdict === 'nearly')?.because).toMatch(
    /nearly that of .*\/first: about 9\d % of the pairs of words/,
  );
});

it('names no page that is itself a copy, least of all where the marked page stands for it', async () => {
  const { origin, crawl } = await crawled(true, {
    '/printed-page': article,
    '/page': ['', ...article],
    '/third': edited(article, 200),
  });
  await inTransaction(pool, (db) => rankCopies(db, crawl));
  const pages = await pagesOf(crawl);
  expect(pages.get('/printed-page')).toMatchObject({ duplicateOf: `${origin}/page`, duplicateBy: 'text' });
  expect(pages.get('/page')).toMatchObject({ duplicateOf: null, nearDuplicateOf: null });
  expect(pages.get('/third')?.nearDuplicateOf).toMatchObject({ url: `${origin}/page` });
  expect(await listClusters(pool, String(crawl), '0', 10, 10)).toMatchObject([
    { url: `${origin}/page`, pages: 1, alike: [{ url: `${origin}/third` }] },
  ]);
});

it('lists no cluster of a page and its own copy, and goes on behind it', async () => {
  const other = some(300);
  const { origin, crawl } = await crawled(true, {
    ...{ '/printed-page': article, '/page': ['', ...article] },
    ...{ '/other': other, '/like': edited(other, 40) },
  });
  await inTransaction(pool, (db) => rankCopies(db, crawl));
  expect(await listClusters(pool, String(crawl), '0', 1, 10)).toMatchObject([
    { url: `${origin}/other`, pages: 1, alike: [{ url: `${origin}/like` }] },
  ]);
});

it('judges the others again when the original has changed', async () => {
  const { origin, crawl, pages } = await crawled(true, {
    '/first': article,
    '/second': edited(article, 40),
    '/third': edited(article, 200),
  });
  expect(pages.get('/third')?.nearDuplicateOf).toMatchObject({ url: `${origin}/first` });
  const [first] = await tables.print.rows(pool, { crawl_id: crawl });
  // As storing another fingerprint of the page does.
  await tables.print.change(pool, { id: first?.id }, { original: null, bands: '{}', sketch: '' });
  await judgeAlike(pool, 60_000);
  const clusters = await listClusters(pool, String(crawl), '0', 10, 10);
  expect(clusters).toMatchObject([{ url: `${origin}/second`, pages: 1 }]);
});

it('looks at few of the pages that share most of their text', async () => {
  const products = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`/product/${String(at)}`, product(at)]),
  );
  const { crawl, pages } = await crawled(true, { ...products, '/copy': edited(product(11), 90) });
  expect([...pages.values()].filter(({ nearDuplicateOf }) => nearDuplicateOf !== null)).toHaveLength(1);
  const prints = await tables.print.rows(pool, { crawl_id: crawl });
  expect(prints.some(({ crowded }) => crowded > 0)).toBe(true);
});

it('stores nothing in a crawl that does not look for them', async () => {
  const { crawl, pages } = await crawled(false, { '/first': article, '/second': edited(article, 40) });
  expect(pages.get('/second')?.nearDuplicateOf).toBeNull();
  expect(await tables.print.rows(pool, { crawl_id: crawl })).toEqual([]);
});

it('judges crawls in turn: one with a backlog keeps no other one waiting', async () => {
  const [large, small] = [await fetching.crawl(), await fetching.crawl()];
  const add = (crawl_id: number, count: number): Promise<unknown> =>
    tables.print.addAll(
      pool,
      Array.from({ length: count }, (_, at) => ({
        ...{ crawl_id, content_id: at, words: 100 },
        ...{ simhash: at * 7_919, sketch: Buffer.alloc(64, at), numbers: Buffer.alloc(4) },
        bands: [crawl_id * 100_000 + at],
      })),
    );
  await add(large, 2_000);
  await add(small, 3);
  const turn = { crawl: 0 };
  const unjudged = (crawl_id: number): Promise<number> =>
    tables.print.count(pool, { crawl_id, original: null });
  // Each look has time for one batch.
  const left: [number, number][] = [];
  for (let look = 0; look < 3; look++) {
    await judgeAlike(pool, 1, turn);
    left.push([await unjudged(large), await unjudged(small)]);
  }
  expect(left.at(-1)?.[0]).toBeGreaterThan(1_000);
  expect(left.at(-1)?.[1]).toBe(0);
});
