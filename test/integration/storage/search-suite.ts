/**
 * What every index for searches has to do, whoever keeps it: some thousand pages of made-up words, and an oracle that goes
 * through them all.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readQuery } from '../../../domain/search/query.ts';
import type { IndexedPage, SearchAnswer, SearchFilter, SearchIndex } from '../../../storage/search/index.ts';
import { runs } from '../../support/runs.ts';

/** An index, and crawls that it holds. */
export interface SearchWorld {
  readonly index: SearchIndex;
  /** A crawl that is searched, in its round 0. */
  readonly newCrawl: () => Promise<string>;
  /** Ends the round of a crawl: what comes of it later is too late. */
  readonly endRound: (crawlId: string) => Promise<void>;
  /** Pages with the words that are looked at in any case. */
  readonly enough: number;
}

const configs = ['simple', 'english', 'german'];
const languages = [null, 'en', 'de'] as const;
const types = ['text/html', 'text/plain', 'application/pdf'] as const;
const start = Date.UTC(2023, 11, 30, 20);

/** Mulberry32: the same pages each time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** No language has them, so that no stemmer touches them; the k-th is k times as rare as the first. */
const wordOf = (rank: number): string => `w${String(rank)}x`;
const vocabulary = 2_000;

function madeUp(count: number, seed: number): IndexedPage[] {
  const random = randomFrom(seed);
  const words = (many: number): string =>
    Array.from({ length: many }, () => wordOf(Math.floor(vocabulary ** random()))).join(' ');
  return Array.from({ length: count }, (_, at) => ({
    key: at.toString(16).padStart(16, '0'),
    url: `https://host-${String(at % 5)}.example/page/${String(at)}`,
    origin: `https://host-${String(at % 5)}.example`,
    ...{ title: words(3), description: at % 4 === 0 ? words(3) : null, text: words(12) },
    ...{ language: languages[at % 3] ?? null, mediaType: types[at % 7 === 0 ? 1 : 0] },
    status: at % 50 === 0 ? 203 : 200,
    fetchedAt: new Date(start + at * 10_000).toISOString(),
    digest: '00',
  }));
}

const page = (text: string, more: Partial<IndexedPage> = {}): IndexedPage => ({
  ...{ key: '00000000000000aa', url: 'https://a.example/', origin: 'https://a.example', title: 'A page' },
  ...{ description: null, text, language: 'en', status: 200, mediaType: 'text/html' },
  fetchedAt: '2024-01-01T00:00:00.000Z',
  digest: 'd0',
  ...more,
});

const wordsOf = ({ title, description, text }: IndexedPage): ReadonlySet<string> =>
  new Set([title, description, text].flatMap((part) => part?.split(' ') ?? []));

const passes = (page: IndexedPage, filter: SearchFilter): boolean =>
  (filter.host === undefined || page.origin === filter.host) &&
  (filter.language === undefined || page.language === filter.language) &&
  (filter.status === undefined ||
    [String(page.status), `${String(page.status).charAt(0)}xx`].includes(filter.status)) &&
  (filter.contentType === undefined ||
    [page.mediaType, `${page.mediaType?.split('/')[0] ?? ''}/*`].includes(filter.contentType)) &&
  (filter.since === undefined || page.fetchedAt >= filter.since) &&
  (filter.until === undefined || page.fetchedAt < filter.until);

const anyInstant = fc
  .integer({ min: -3_600_000, max: 40_000_000 })
  .map((after) => new Date(start + after).toISOString());
const anyFilter: fc.Arbitrary<SearchFilter> = fc.record(
  {
    host: fc.nat({ max: 5 }).map((at) => `https://host-${String(at)}.example`),
    language: fc.constantFrom('en', 'de', 'fr'),
    status: fc.constantFrom('200', '2xx', '203', '404'),
    contentType: fc.constantFrom('text/*', 'text/plain', 'application/*'),
    since: anyInstant,
    until: anyInstant,
  },
  { requiredKeys: [] },
);
const anyWord = fc
  .double({ min: 0, max: 0.999, noNaN: true })
  .map((at) => wordOf(Math.floor(vocabulary ** at)));

export function describeSearchIndex(name: string, world: () => SearchWorld): void {
  const search = (
    crawls: readonly { readonly id: string; readonly looked: number }[],
    query: string,
    filter: SearchFilter = {},
    limit = 50,
    offset = 0,
  ): Promise<SearchAnswer> =>
    world().index.search({ crawls, configs, terms: readQuery(query), filter, limit, offset });

  describe(`${name}: some thousand pages`, () => {
    const [large, small] = [madeUp(3_000, 1), madeUp(200, 2)];
    let crawls: { readonly id: string; readonly looked: number; readonly pages: readonly IndexedPage[] }[];

    beforeAll(async () => {
      const { index, newCrawl } = world();
      crawls = [];
      for (const pages of [large, small]) {
        const id = await newCrawl();
        for (let looked = 0; looked < pages.length; looked += 100) {
          const some = pages.slice(looked, looked + 100);
          await index.put({ crawlId: id, round: 0, looked, pages: some, gone: [] });
        }
        crawls.push({ id, looked: pages.length, pages });
      }
      await index.settle();
    });

    it('are found by their words and filters: what is found matches, and nothing is missing unless told', async () => {
      const someCrawls = fc.constantFrom([0], [0], [1], [0, 1], [1, 0]);
      await fc.assert(
        fc.asyncProperty(
          ...([
            fc.array(anyWord, { minLength: 1, maxLength: 3 }),
            fc.array(anyWord, { maxLength: 1 }),
          ] as const),
          ...([anyFilter, someCrawls] as const),
          async (wanted, unwanted, filter, which) => {
            const searched = which.flatMap((at) => crawls[at] ?? []);
            const query = [...wanted, ...unwanted.map((word) => `-${word}`)].join(' ');
            const matches = searched.flatMap(({ id, pages }) =>
              pages
                .filter((each) => passes(each, filter))
                .filter((each) => wanted.every((word) => wordsOf(each).has(word)))
                .filter((each) => !unwanted.some((word) => wordsOf(each).has(word)))
                .map(({ url }) => `${id} ${url}`),
            );
            const { hits, found, isComplete } = await search(searched, query, filter);
            const urls = hits.map(({ crawlId, url }) => `${crawlId} ${url}`);
            expect(matches).toEqual(expect.arrayContaining(urls));
            expect(new Set(urls).size).toBe(urls.length);
            expect(urls).toHaveLength(Math.min(50, found));
            if (isComplete) expect(found).toBe(matches.length);
            else {
              expect(found).toBeGreaterThanOrEqual(world().enough);
              expect(found).toBeLessThanOrEqual(matches.length);
            }
          },
        ),
        { numRuns: runs(150) },
      );
    });

    it('come the best first, those with the words in the title before others, and in parts as a whole', async () => {
      const crawl = crawls.slice(1);
      const whole = await search(crawl, wordOf(12));
      expect(whole.hits.length).toBeGreaterThan(3);
      expect(whole.hits.map(({ score }) => score)).toEqual(
        whole.hits.map(({ score }) => score).sort((a, b) => b - a),
      );
      const isTitled = whole.hits.map(({ title }) => title?.split(' ').includes(wordOf(12)) === true);
      expect(isTitled).toEqual(isTitled.toSorted((a, b) => Number(b) - Number(a)));
      expect(isTitled).toContain(true);
      const parts: string[] = [];
      for (let at = 0; at < whole.found; at += 2)
        parts.push(...(await search(crawl, wordOf(12), {}, 2, at)).hits.map(({ url }) => url));
      expect(parts).toEqual(whole.hits.map(({ url }) => url));
    });

    it('can be narrowed by time, however common a word is', async () => {
      const [crawl] = crawls;
      // Minutes after the middle, in which six pages a minute were answered.
      const since = new Date(start + 15_000_000).toISOString();
      const until = new Date(start + 15_600_000).toISOString();
      const expected = large
        .filter((each) => passes(each, { since, until }))
        .filter((each) => wordsOf(each).has(wordOf(1)));
      expect(expected.length).toBeGreaterThan(10);
      const { hits, isComplete } = await search(crawl === undefined ? [] : [crawl], wordOf(1), {
        since,
        until,
      });
      expect([isComplete, hits.map(({ url }) => url).sort()]).toEqual([
        true,
        expected.map(({ url }) => url).sort(),
      ]);
    });
  });

  describe(`${name}: a page`, () => {
    const put = (
      crawlId: string,
      round: number,
      pages: readonly IndexedPage[],
      gone: readonly string[] = [],
    ) => world().index.put({ crawlId, round, looked: 0, pages, gone });
    const texts = async (id: string, query: string): Promise<string[]> =>
      (await search([{ id, looked: 100 }], query)).hits.map(({ snippet }) =>
        snippet.map(({ text }) => text).join(''),
      );

    it('is found by stems, phrases and its title, and shown with what was searched for marked', async () => {
      const id = await world().newCrawl();
      await put(id, 0, [
        page(`${'Cloth and thread. '.repeat(300)} Spiders weave webs in silence. ${'Wool. '.repeat(300)}`, {
          title: 'On looms',
        }),
      ]);
      await world().index.settle();
      const crawl = [{ id, looked: 100 }];
      for (const query of ['spider', 'weaving webs', '"spiders weave"', 'loom', 'cloth -silk'])
        expect((await search(crawl, query)).found, query).toBe(1);
      for (const query of ['"webs weave"', 'spider silk', 'spider -web', '"weave silence"'])
        expect((await search(crawl, query)).found, query).toBe(0);
      const [hit] = (await search(crawl, 'weave spider')).hits;
      expect(hit?.snippet.filter(({ hit }) => hit).map(({ text }) => text)).toEqual(['Spiders', 'weave']);
      expect(hit).toMatchObject({
        crawlId: id,
        url: 'https://a.example/',
        title: 'On looms',
        language: 'en',
      });
      expect(hit).toMatchObject({
        status: 200,
        contentType: 'text/html',
        fetchedAt: '2024-01-01T00:00:00.000Z',
      });
    });

    it('is replaced by what it is now, and had as it was answered and read last', async () => {
      const id = await world().newCrawl();
      await put(id, 0, [page('spider')]);
      await world().endRound(id);
      const fetchedAt = '2024-02-01T00:00:00.000Z';
      await put(id, 1, [page('beetle', { fetchedAt, digest: 'd1' })]);
      await world().index.settle();
      expect([await texts(id, 'spider'), await texts(id, 'beetle')]).toEqual([[], ['beetle']]);
      const { key } = page('');
      const had = async (at: string, digest: string) => [
        ...(await world().index.has(id, [
          { key, fetchedAt: at, digest },
          { key: 'ff', fetchedAt: at, digest },
        ])),
      ];
      expect(await had(fetchedAt, 'd1')).toEqual([key]);
      expect(await had('2024-01-01T00:00:00.000Z', 'd1')).toEqual([]);
      expect(await had(fetchedAt, 'd0')).toEqual([]);
    });

    it('is neither brought back nor taken out by a batch that was frozen', async () => {
      const id = await world().newCrawl();
      const [changing, going, coming] = ['aa', 'bb', 'cc'].map((end) => `00000000000000${end}`) as [
        string,
        string,
        string,
      ];
      await put(id, 0, [page('earlier spider', { key: changing }), page('spider removed', { key: going })]);
      await world().endRound(id);
      await put(
        id,
        1,
        [page('current spider', { key: changing }), page('spider present', { key: coming })],
        [going],
      );
      await world().index.settle();
      const now = async () => (await texts(id, 'spider')).sort();
      expect(await now()).toEqual(['current spider', 'spider present']);
      await put(
        id,
        0,
        [page('earlier spider', { key: changing }), page('spider removed', { key: going })],
        [coming],
      );
      await world().index.settle();
      expect(await now()).toEqual(['current spider', 'spider present']);
    });

    it('leaves with its crawl, and no other crawl has it', async () => {
      const [id, other] = [await world().newCrawl(), await world().newCrawl()];
      await put(id, 0, [page('spider alone')]);
      await put(other, 0, [page('spider elsewhere')]);
      await world().index.settle();
      expect([await texts(id, 'spider'), await texts(other, 'spider')]).toEqual([
        ['spider alone'],
        ['spider elsewhere'],
      ]);
      await world().index.drop(id);
      await world().index.settle();
      expect([await texts(id, 'spider'), await texts(other, 'spider')]).toEqual([[], ['spider elsewhere']]);
    });
  });
}
