import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { storedKinds } from '../../../domain/url-kind.ts';
import { excludedReasons, type ExcludedReason } from '../../../domain/url-reason.ts';
import { viewCrawl } from '../../../storage/crawls/index.ts';
import { admitUrls, ClaimLost, FrontierWriter } from '../../../storage/frontier/index.ts';
import { judgeCopies, type PageRow } from '../../../storage/pages/index.ts';
import {
  lettersOf,
  serverMs,
  tables,
  transactionsOf,
  waitingForLocks,
  type UrlColumns,
} from '../../support/database/index.ts';
import { startFlakyPool } from './flaky-pool.ts';
import {
  admission,
  expectExact,
  keyOf,
  leased,
  moveCrawl,
  names,
  newHost,
  openFrontier,
  result,
  runningCrawl,
  takenLease,
  withFrontier,
} from './frontier.ts';

const frontier = withFrontier();
const { pool } = frontier;
let crawl: number;
let host: number;
beforeEach(async () => {
  crawl = await runningCrawl(pool);
  host = await newHost(pool);
});

/** A body that the page stands for. */
const claimed = async (key: string, hash: string): Promise<number> => {
  const place = { host_id: host, key: Buffer.from(key, 'hex') };
  return (
    await tables.content.add(pool, {
      crawl_id: crawl,
      tenant_id: 1,
      hash: Buffer.from(hash, 'hex'),
      ...place,
    })
  ).id;
};

const page = (key: string, content: number, over: Partial<PageRow> = {}): PageRow => ({
  content_id: content,
  host_id: host,
  crawl_id: crawl,
  key,
  title: 'A page',
  description: null,
  language: 'en',
  charset: 'utf-8',
  words: 2,
  links: 0,
  canonical: null,
  noindex: false,
  nofollow: false,
  text_hash: null,
  meta: null,
  fields: null,
  outlinks: '',
  counters: [],
  ...over,
});

const stateOf = async (key: string) =>
  (await tables.url.rows(pool, { host_id: host, crawl_id: crawl, key: Buffer.from(key, 'hex') }))[0];

describe('admissions (F26: atomic check and add)', () => {
  it('counts each URL for the write that brought it first, in one batch and over batches', async () => {
    const [a = '', b = '', c = ''] = names(3, 'twice');
    const together = await Promise.all([
      frontier.writer.write({ admissions: [admission(host, crawl, a), admission(host, crawl, b)] }),
      frontier.writer.write({ admissions: [admission(host, crawl, b), admission(host, crawl, c)] }),
    ]);
    expect(together.map(({ admitted }) => admitted)).toEqual([2, 1]);
    const later = await frontier.writer.write({
      admissions: [admission(host, crawl, a), admission(host, crawl, c)],
    });
    expect(later).toMatchObject({ admitted: 0 });
    expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 3, queued: 3 });
  });

  it('lets many processes find the same links at once, and admits each once', async () => {
    const urls = names(300, 'raced');
    const writers = Array.from({ length: 6 }, () => new FrontierWriter(pool, { gatherMs: 1, maxRows: 100 }));
    const counts = await Promise.all(
      writers.flatMap((writer, at) =>
        Array.from({ length: 10 }, async (_, part) => {
          // Each in an order of its own, as pages name their links.
          const links = urls
            .filter((_url, place) => (place * 7 + part) % 10 < 5)
            .toSorted(() => (at % 2 === 0 ? 1 : -1));
          return (await writer.write({ admissions: links.map((url) => admission(host, crawl, url)) }))
            .admitted;
        }),
      ),
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(300);
    expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 300, queued: 300 });
  });

  it('records what a filter excludes, and what a draining crawl will not fetch', async () => {
    const [filtered = '', late = ''] = names(2, 'excluded');
    await frontier.writer.write({
      admissions: [admission(host, crawl, filtered, { reason: 'pattern', detail: '*.zip' })],
    });
    await moveCrawl(pool, crawl, 'draining');
    await frontier.writer.write({ admissions: [admission(host, crawl, late)] });
    expect(await stateOf(keyOf(filtered))).toMatchObject({
      state: 'excluded',
      reason: 'pattern',
      detail: '*.zip',
    });
    expect(await stateOf(keyOf(late))).toMatchObject({ state: 'excluded', reason: 'crawl-limit' });
    expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 2, excluded: 2 });
  });

  it.each(['finished', 'cancelled', 'failed'] as const)('a %s crawl admits nothing', async (state) => {
    await moveCrawl(pool, crawl, state);
    const written = await frontier.writer.write({
      admissions: [admission(host, crawl, 'https://x.example/')],
    });
    expect(written.admitted).toBe(0);
    expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 0 });
  });

  it('excludes what is found at a host that has its share (F27)', async () => {
    const limited = (url: string) => admission(host, crawl, url, { host_limit: 5 });
    for (const url of names(8, 'one-by-one')) await frontier.writer.write({ admissions: [limited(url)] });
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 5, excluded: 3 });
  });

  it('excludes what is beyond the share also where one page brings it all (F27)', async () => {
    await frontier.writer.write({
      admissions: names(20, 'at-once').map((url) => admission(host, crawl, url, { host_limit: 5 })),
    });
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 5, excluded: 15 });
  });

  it('tells what is new at once of thousands beyond the share, not of each by all others (F27)', async () => {
    // One connection, whose process in Postgres is asked for its processor time.
    const one = await openFrontier(1);
    onTestFinished(() => one.close());
    const { pool, writer } = one;
    const [of, at] = [await runningCrawl(pool), await newHost(pool)];
    const took = async (stem: string, limit: number): Promise<number> => {
      const admissions = names(4_000, stem).map((url) => admission(at, of, url, { host_limit: limit }));
      const before = await serverMs(pool);
      await writer.write({ admissions });
      return (await serverMs(pool)) - before;
    };
    const within = await took('within', 100_000);
    const beyond = await took('beyond', 4_001);
    // Measured: 1.1 times; each by all others: 40 times.
    expect(within).toBeGreaterThan(0);
    expect(beyond / within).toBeLessThan(10);
    expect(await expectExact(pool, of)).toMatchObject({ queued: 4_001, excluded: 3_999 });
  });

  it('counts towards the share only what is new', async () => {
    const limited = (url: string) => admission(host, crawl, url, { host_limit: 5 });
    const [first, second] = [names(3, 'share'), names(5, 'share')];
    await frontier.writer.write({ admissions: first.map(limited) });
    await frontier.writer.write({ admissions: second.map(limited) });
    expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 5, queued: 5 });
  });
});

describe('what is kept out as a page, where a page needs it', () => {
  const asNeeded = { kind: storedKinds.requisite, turns: true, priority: 0.7, depth: 2 } as const;
  const fetched = { fetches: 1, content_hash: Buffer.alloc(32) };

  it.each<[ExcludedReason, UrlColumns, becomes: boolean]>([
    ...excludedReasons.map((reason): [ExcludedReason, object, boolean] => [
      reason,
      {},
      ['depth', 'not-included', 'scope', 'crawl-limit', 'unmodified'].includes(reason),
    ]),
    ['depth', fetched, false],
    ['crawl-limit', { seed: true }, false],
    ['depth', { kind: storedKinds.sitemap }, false],
    ['crawl-limit', { kind: storedKinds.requisite }, false],
  ])('is queued as such if only pages are kept out so: %s %o', async (reason, over, becomes) => {
    const { writer } = frontier;
    const url = 'https://x.example/picture';
    await writer.write({ admissions: [admission(host, crawl, url, { turns: true })] });
    const was = {
      ...{ state: 'excluded', reason, detail: 'why', depth: 1, kind: storedKinds.page },
      ...over,
    } as const;
    await tables.url.change(pool, { host_id: host, crawl_id: crawl }, was);
    const admissions = [admission(host, crawl, url, asNeeded)];
    expect(await writer.write({ admissions })).toMatchObject(
      becomes ? { admitted: 1, queued: 1 } : { admitted: 0, queued: 0 },
    );
    const needed = { state: 'queued', reason: null, detail: null, depth: 2, kind: storedKinds.requisite };
    expect(await stateOf(keyOf(url))).toMatchObject(becomes ? needed : was);
    const sums = { discovered: 1, queued: becomes ? 1 : 0, excluded: becomes ? 0 : 1 };
    expect(await expectExact(pool, crawl)).toMatchObject(sums);
    // Once more is no more.
    expect(await writer.write({ admissions })).toMatchObject({ admitted: 0 });
  });

  it('stays out where the crawl is about to end', async () => {
    const { writer } = frontier;
    const url = 'https://x.example/picture';
    await writer.write({ admissions: [admission(host, crawl, url, { turns: true, reason: 'depth' })] });
    await moveCrawl(pool, crawl, 'draining');
    await writer.write({ admissions: [admission(host, crawl, url, asNeeded)] });
    expect(await stateOf(keyOf(url))).toMatchObject({ state: 'excluded', kind: storedKinds.page });
    await expectExact(pool, crawl);
  });

  it.each(['first', 'last'] as const)('is queued in the batch that brings both, needed %s', async (place) => {
    const { writer } = frontier;
    const url = 'https://x.example/picture';
    const both = [asNeeded, { turns: true, reason: 'depth' } as const];
    const found = place === 'first' ? both : both.toReversed();
    await Promise.all(found.map((each) => writer.write({ admissions: [admission(host, crawl, url, each)] })));
    expect(await stateOf(keyOf(url))).toMatchObject({ state: 'queued', kind: storedKinds.requisite });
    expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 1, queued: 1, excluded: 0 });
  });
});

describe('what a page needs, where a link names it as a page', () => {
  const [asNeeded, asPage] = [{ kind: storedKinds.requisite }, { turns: true }] as const;

  it.each([
    ['first', [asNeeded, asPage]],
    ['last', [asPage, asNeeded]],
  ] as const)('becomes a page in the batch that brings both, needed %s', async (_, found) => {
    const url = 'https://x.example/both';
    const written = await Promise.all(
      found.map((each) => frontier.writer.write({ admissions: [admission(host, crawl, url, each)] })),
    );
    expect(await stateOf(keyOf(url))).toMatchObject({ state: 'queued', kind: storedKinds.page });
    // Who found the page is told of it.
    expect(written[found.indexOf(asPage as never)]).toMatchObject({ admitted: 1, queued: 1 });
    expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 1, queued: 1 });
  });

  it('gives back the content that it had as such', async () => {
    const url = 'https://x.example/had';
    await frontier.writer.write({ admissions: [admission(host, crawl, url, asNeeded)] });
    const content_hash = Buffer.from('ef'.repeat(32), 'hex');
    const content = await claimed(keyOf(url), 'ef'.repeat(32));
    const had = { state: 'done', content_hash, content_id: content } as const;
    await tables.url.change(pool, { host_id: host, crawl_id: crawl }, had);
    await frontier.writer.write({ admissions: [admission(host, crawl, url, asPage)] });
    expect(await stateOf(keyOf(url))).toMatchObject({ state: 'queued', content_id: null });
    await judgeCopies(pool, 60_000);
    expect(await tables.content.count(pool, { crawl_id: crawl })).toBe(0);
  });

  it('becomes a page though another process stores it just now', async () => {
    const { writer } = frontier;
    const url = 'https://x.example/meanwhile';
    const other = await pool.connect();
    try {
      await other.query('begin');
      await admitUrls(other, [admission(host, crawl, url, asNeeded)]);
      const written = writer.write({ admissions: [admission(host, crawl, url, asPage)] });
      await expect.poll(() => waitingForLocks(other)).toBeGreaterThan(0);
      await other.query('commit');
      expect(await written).toMatchObject({ admitted: 1 });
    } finally {
      other.release();
    }
    expect(await stateOf(keyOf(url))).toMatchObject({ state: 'queued', kind: storedKinds.page });
    await expectExact(pool, crawl);
  });

  it('is no unchanged page, however its host answers', async () => {
    const { writer } = frontier;
    const kinds = Object.values(storedKinds).map((kind) => ({ kind }));
    const admissions = kinds.map((each, at) =>
      admission(host, crawl, `https://x.example/${String(at)}`, each),
    );
    await writer.write({ admissions });
    const token = await takenLease(pool, host);
    const same = { reason: 'not-modified', stage: 1, content_hash: 'ab'.repeat(32) } as const;
    const results = (await leased(pool, host, token, 4)).map((place) => result(place, 'done', same));
    expect(results).toHaveLength(4);
    await writer.write({ results });
    expect(await viewCrawl(pool, String(crawl))).toMatchObject({ pages: 1, unchanged: 1 });
    await expectExact(pool, crawl);
  });

  it('is asked for again when the answer that leads there permits', async () => {
    const { writer } = frontier;
    const url = 'https://x.example/later';
    await writer.write({ admissions: [admission(host, crawl, url, asNeeded)] });
    const token = await takenLease(pool, host);
    const [place] = await leased(pool, host, token, 1);
    if (place === undefined) throw new Error('nothing was leased');
    await writer.write({ results: [result(place, 'done', { content_hash: 'ab'.repeat(32) })] });
    await writer.write({ admissions: [admission(host, crawl, url, { ...asPage, due_in_ms: 600_000 })] });
    expect(await stateOf(place.key)).toMatchObject({ state: 'queued', reason: null, content_hash: null });
    expect(await leased(pool, host, token, 1)).toEqual([]);
    await expectExact(pool, crawl);
  });
});

describe('what belongs together', () => {
  it('is committed whole: a result, and the URL it leads to', async () => {
    const [from = '', to = ''] = names(2, 'redirect');
    await frontier.writer.write({ admissions: [admission(host, crawl, from)] });
    const token = await takenLease(pool, host);
    const [place] = await leased(pool, host, token, 1);
    if (place === undefined) throw new Error('nothing was leased');
    const written = await frontier.writer.write({
      results: [result(place, 'done', { reason: 'redirect', status: 301, redirect_to: to })],
      admissions: [admission(host, crawl, to, { hops: 1, parent_host: host, parent_key: place.key })],
    });
    expect(written).toMatchObject({ admitted: 1 });
    expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 2, done: 1, queued: 1 });
  });

  it('or not at all: a page that cannot be stored leaves neither links nor the end of its stage', async () => {
    const [url = '', link = ''] = names(2, 'atomic');
    await frontier.writer.write({ admissions: [admission(host, crawl, url)] });
    const token = await takenLease(pool, host);
    const [place] = await leased(pool, host, token, 1);
    if (place === undefined) throw new Error('nothing was leased');
    await frontier.writer.write({
      results: [result(place, 'done', { stage: 1, content_hash: 'ab'.repeat(32) })],
    });
    const content = await claimed(place.key, 'ab'.repeat(32));
    const stage = {
      ...place,
      from: 1,
      to: 0,
      alias_host: null,
      alias_key: null,
      content_id: content,
    } as const;
    const reading = { admissions: [admission(host, crawl, link)], stages: [stage] };
    const broken = frontier.writer.write({
      ...reading,
      pages: [page(place.key, content, { text_hash: 'no hex' })],
    });
    await expect(broken).rejects.toMatchObject({ code: '22023' });
    expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 1 });
    expect(await stateOf(place.key)).toMatchObject({ stage: 1 });

    await frontier.writer.write({ ...reading, pages: [page(place.key, content)] });
    expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 2 });
    expect(await stateOf(place.key)).toMatchObject({ stage: 0 });
  });
});

describe('a poison row', () => {
  it('takes none of its company down', async () => {
    const [good = '', bad = '', other = ''] = names(3, 'poison');
    const settled = await Promise.allSettled([
      frontier.writer.write({ admissions: [admission(host, crawl, good)] }),
      frontier.writer.write({ admissions: [admission(host, crawl, bad, { key: 'no hex' })] }),
      frontier.writer.write({ admissions: [admission(host, crawl, other)] }),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 2, queued: 2 });
    const after = await frontier.writer.write({ admissions: [admission(host, crawl, bad)] });
    expect(after.admitted).toBe(1);
  });

  it('is not one that holds NUL, which JSON can say and Postgres cannot store', async () => {
    const [url = ''] = names(1, 'nul');
    await frontier.writer.write({
      admissions: [admission(host, crawl, url, { reason: 'pattern', detail: 'a\0b' })],
    });
    expect(await stateOf(keyOf(url))).toMatchObject({ detail: 'a\ufffdb' });
  });

  it('nor one that only speaks of NUL: a backslash and u0000 stay as found', async () => {
    // As WHATWG URL writes it: the query keeps backslashes.
    const { href } = new URL('https://x.example/?q=\\u0000');
    await frontier.writer.write({ admissions: [admission(host, crawl, href)] });
    expect(await stateOf(keyOf(href))).toMatchObject({ url: href });
  });
});

describe('results', () => {
  it('count only under the lease they were fetched under', async () => {
    const [url = ''] = names(1, 'lost-lease');
    await frontier.writer.write({ admissions: [admission(host, crawl, url)] });
    const token = await takenLease(pool, host);
    const [place] = await leased(pool, host, token, 1);
    if (place === undefined) throw new Error('nothing was leased');
    await frontier.writer.write({ results: [result({ ...place, token: token + 1_000 }, 'dead')] });
    expect(await stateOf(place.key)).toMatchObject({ state: 'leased' });
    await frontier.writer.write({ results: [result(place, 'dead')] });
    await frontier.writer.write({ results: [result(place, 'done')] });
    expect(await stateOf(place.key)).toMatchObject({ state: 'dead' });
    expect(await expectExact(pool, crawl)).toMatchObject({ dead: 1, done: 0 });
  });

  it('are written with all that they say of the answer', async () => {
    const [url = ''] = names(1, 'answered');
    await frontier.writer.write({ admissions: [admission(host, crawl, url)] });
    const token = await takenLease(pool, host);
    const [place] = await leased(pool, host, token, 1);
    if (place === undefined) throw new Error('nothing was leased');
    const answer = {
      reason: 'too-large',
      detail: '5 MB',
      status: 206,
      bytes: 7,
      truncated: 'too-large',
      took_ms: 8,
      content_type: 'text/html',
      robots_tag: 'noindex',
      link_fields: 'Refresh: 1',
      etag: '"e"',
      last_modified: 'Mon, 05 Jan 1970 00:00:00 GMT',
      redirect_to: 'https://x.example/to',
    } as const;
    await frontier.writer.write({ results: [result(place, 'excluded', answer)] });
    expect(await stateOf(place.key)).toMatchObject({ state: 'excluded', ...answer });
  });

  it('that failed leave a dead letter with class and evidence; an attempt leaves a line', async () => {
    const [url = ''] = names(1, 'letter');
    await frontier.writer.write({ admissions: [admission(host, crawl, url)] });
    const token = await takenLease(pool, host);
    for (const state of ['queued', 'failed'] as const) {
      const [place] = await leased(pool, host, token, 1);
      if (place === undefined) throw new Error('nothing was leased');
      const why = { reason: 'server-error', detail: 'answered 500', status: 500 } as const;
      await frontier.writer.write({
        results: [result(place, state, { ...why, attempted: state === 'queued' })],
      });
    }
    expect(await lettersOf(pool, crawl)).toEqual([
      { class: 'server-error', status: 500, message: 'answered 500', attempts: 1 },
    ]);
    expect(await tables.attempt.rows(pool, { crawl_id: crawl })).toMatchObject([
      { class: 'server-error', status: 500, message: 'answered 500' },
    ]);
    await expectExact(pool, crawl);
  });
});

describe('the stages of a body', () => {
  it('are left alone by an activity that runs a second time', async () => {
    const [url = ''] = names(1, 'stages');
    await frontier.writer.write({ admissions: [admission(host, crawl, url)] });
    const token = await takenLease(pool, host);
    const [place] = await leased(pool, host, token, 1);
    if (place === undefined) throw new Error('nothing was leased');
    await frontier.writer.write({
      results: [result(place, 'done', { stage: 1, content_hash: 'cd'.repeat(32) })],
    });
    const content = await claimed(place.key, 'cd'.repeat(32));
    const on = { ...place, alias_host: null, alias_key: null, content_id: content };
    await frontier.writer.write({ stages: [{ ...on, from: 1, to: 2 }] });
    await frontier.writer.write({
      stages: [{ ...on, from: 1, to: 0, alias_host: host, alias_key: place.key }],
    });
    expect(await stateOf(place.key)).toMatchObject({ stage: 2, alias_host: null });
    await frontier.writer.write({ stages: [{ ...on, from: 2, to: 0 }], pages: [page(place.key, content)] });
    await frontier.writer.write({
      stages: [{ ...on, from: 2, to: 0 }],
      pages: [page(place.key, content, { title: 'Read again' })],
    });
    expect(await tables.reading.rows(pool, { crawl_id: crawl })).toMatchObject([{ title: 'Read again' }]);
    await expectExact(pool, crawl);
  });
});

describe('group commit', () => {
  it('puts what comes within a few milliseconds into one transaction, and splits what is too much', async () => {
    const transactions = async (writer: FrontierWriter, stem: string): Promise<number> => {
      const urls = names(60, stem);
      await Promise.all(urls.map((url) => writer.write({ admissions: [admission(host, crawl, url)] })));
      return transactionsOf(pool, crawl, `%/${stem}/%`);
    };
    expect(await transactions(new FrontierWriter(pool, { gatherMs: 20, maxRows: 1_000 }), 'grouped')).toBe(1);
    expect(await transactions(new FrontierWriter(pool, { gatherMs: 20, maxRows: 20 }), 'split')).toBe(3);
    await expectExact(pool, crawl);
  });

  it('takes a write that is larger than a batch', async () => {
    const small = new FrontierWriter(pool, { gatherMs: 1, maxRows: 10 });
    const { admitted } = await small.write({
      admissions: names(100, 'large').map((url) => admission(host, crawl, url)),
    });
    expect(admitted).toBe(100);
  });

  it('tells every writer of an outage, once, and goes on when it is over', async () => {
    const flaky = startFlakyPool(pool);
    const writer = new FrontierWriter(flaky.pool, { gatherMs: 1, maxRows: 1_000 });
    const [a = '', b = ''] = names(2, 'outage');
    flaky.down = true;
    const both = await Promise.allSettled([
      writer.write({ admissions: [admission(host, crawl, a)] }),
      writer.write({ admissions: [admission(host, crawl, b)] }),
    ]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(flaky.refused).toBe(1);
    flaky.down = false;
    expect(await writer.write({ admissions: [admission(host, crawl, a)] })).toMatchObject({ admitted: 1 });
    await expectExact(pool, crawl);
  });
});

describe('pages that were read at hand', () => {
  const hash = 'ab'.repeat(32);

  /** A page that a lease has in hand, with what would be written of it. */
  async function inHand(stem: string) {
    const at = await newHost(pool);
    await frontier.writer.write({ admissions: [admission(at, crawl, `https://x.example/${stem}`)] });
    const token = await takenLease(pool, at);
    const [url] = await leased(pool, at, token, 1);
    const place = { host_id: at, crawl_id: crawl, key: url?.key ?? '' };
    return {
      place,
      token,
      write: {
        results: [result({ ...place, token }, 'done', { content_hash: hash, content_id: -at })],
        claims: [{ ...place, content_id: -at, hash, origins: [] }],
        pages: [page(place.key, -at, place)],
        admissions: [admission(at, crawl, `https://x.example/${stem}/on`)],
      },
    };
  }

  it('one of two that are stored together with the same body is stored, and nothing of the other', async () => {
    const [one, other] = [await inHand('one'), await inHand('other')];
    const written = await Promise.allSettled([one, other].map(({ write }) => frontier.writer.write(write)));
    const [lost] = written.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(lost).toBeInstanceOf(ClaimLost);
    const contents = await tables.content.rows(pool, { crawl_id: crawl });
    expect(contents).toHaveLength(1);
    expect(await tables.reading.rows(pool, { crawl_id: crawl })).toMatchObject([
      { host_id: contents[0]?.host_id },
    ]);
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 1, leased: 1, queued: 1 });
  });

  it('nothing of a page is stored whose result comes after its lease', async () => {
    const { write, place, token } = await inHand('late');
    const results = [
      result({ ...place, token: token - 1 }, 'done', { content_hash: hash, content_id: -place.host_id }),
    ];
    await expect(frontier.writer.write({ ...write, results })).rejects.toBeInstanceOf(ClaimLost);
    expect(await tables.reading.rows(pool, { crawl_id: crawl })).toEqual([]);
    expect(await tables.content.rows(pool, { crawl_id: crawl })).toEqual([]);
    expect(await expectExact(pool, crawl)).toMatchObject({ leased: 1, queued: 0 });
  });
});
