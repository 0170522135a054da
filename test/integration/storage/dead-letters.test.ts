/** Dead letters: one a failed URL, with its evidence, listed without gaps, driven again in bulk (G7). */
import { describe, expect, it } from 'vitest';
import type { DeadLetterView } from '../../../contracts/dead-letters.ts';
import { restMs, type DeadLetterClass } from '../../../domain/dead-letter.ts';
import { auditCrawl } from '../../../storage/reports/index.ts';
import {
  readDeadLetters,
  redriveBatch,
  type DeadLetterPage,
  type LetterFilter,
} from '../../../storage/letters/index.ts';
import { parkHost, unparkHost } from '../../../storage/hosts/index.ts';
import { releaseLease } from '../../../storage/leases/index.ts';
import { reopenCrawlsAtHost } from '../../../storage/crawls/index.ts';
import { returnUrls, type ResultRow } from '../../../storage/frontier/index.ts';
import { changeCrawl, crawlState, fromNow, hostRow, setState, tables } from '../../support/database/index.ts';
import {
  admission,
  expectExact,
  keyOf,
  leased,
  moveCrawl,
  newHost,
  result,
  runningCrawl,
  takenLease,
  withFrontier,
} from './frontier.ts';

const frontier = withFrontier(12);
const { pool } = frontier;

type Ending = readonly [state: ResultRow['state'], over: Partial<ResultRow>];
const failedWith = (reason: DeadLetterClass, over: Partial<ResultRow> = {}): Ending => [
  'failed',
  { reason, ...over },
];

/** Admits URLs of a host and has each end as is said; a queued one was tried. */
async function fetched(
  host: number,
  crawl: number,
  endings: Readonly<Record<string, Ending>>,
): Promise<void> {
  const urls = Object.keys(endings);
  await frontier.writer.write({ admissions: urls.map((url) => admission(host, crawl, url)) });
  const token = await takenLease(pool, host);
  const places = await leased(pool, host, token, 1_000);
  const byKey = new Map(urls.map((url) => [keyOf(url), endings[url]]));
  for (const place of places) {
    const ending = byKey.get(place.key);
    if (place.crawl_id !== crawl || ending === undefined) continue;
    const [state, over] = ending;
    await frontier.writer.write({ results: [result(place, state, over)] });
  }
  await returnUrls(pool, String(host), token);
  await releaseLease(pool, host, token, { waitMs: 0, paceMs: 0, failures: 0, lastError: null, visit: null });
}

const ofCrawl = (crawl: number, over: Partial<LetterFilter> = {}): LetterFilter =>
  ({ crawlId: String(crawl), hostId: null, class: null, key: null, ...over }) as LetterFilter;
const all = async (filter: LetterFilter): Promise<DeadLetterView[]> => {
  const found: DeadLetterView[] = [];
  for (let cursor: string | null = null; ;) {
    const page: DeadLetterPage | 'bad-cursor' = await readDeadLetters(pool, filter, cursor, 1_000);
    if (page === 'bad-cursor') throw new Error('a cursor of our own cannot be read');
    found.push(...page.items);
    if (page.next === null) return found;
    cursor = page.next;
  }
};
const letters = async (filter: LetterFilter): Promise<string[]> => {
  return (await all(filter)).map(({ url, class: letterClass }) => `${url} ${letterClass}`);
};
const stateOf = (crawl: number): Promise<string> => crawlState(pool, crawl);
const park = (host: number) => parkHost(pool, String(host), 'timeout: spent', ['timeout', 'overloaded']);
const age = (ms: number) => tables.letter.change(pool, {}, { created_at: fromNow(-ms / 1_000) });

describe('evidence', () => {
  it('is status, message, fields of the answer and the times of all attempts', async () => {
    const [host, crawl] = [await newHost(pool, 'https://shop.example'), await runningCrawl(pool)];
    const headers = { server: 'nginx', 'retry-after': '9' };
    const url = 'https://shop.example/a';
    const reason = 'server-error';
    const again = { reason, attempted: true, own: true, status: 500, detail: 'answered 500' } as const;
    await fetched(host, crawl, { [url]: ['queued', again] });
    await fetched(host, crawl, { [url]: ['queued', again] });
    await fetched(host, crawl, {
      [url]: failedWith('server-error', { status: 502, detail: 'answered 502', headers }),
    });
    const [letter] = await all(ofCrawl(crawl));
    expect(letter).toMatchObject({
      ...{ crawlId: String(crawl), url, host: 'https://shop.example', hostParked: false },
      ...{ class: 'server-error', status: 502, message: 'answered 502', headers, notBefore: null },
    });
    const [first = '', second = ''] = letter?.attemptedAt ?? [];
    expect(letter?.attemptedAt).toHaveLength(2);
    expect(first < second && second < (letter?.failedAt ?? '')).toBe(true);
  });

  it('of a URL whose host parked is that of its last attempt', async () => {
    const [host, crawl] = [await newHost(pool), await runningCrawl(pool)];
    const tried = (value: string): Ending => [
      'queued',
      { reason: 'overloaded', attempted: true, status: 503, headers: { 'retry-after': value } },
    ];
    await fetched(host, crawl, { 'https://x.example/1': tried('1') });
    await fetched(host, crawl, { 'https://x.example/1': tried('2') });
    await park(host);
    const [letter] = await all(ofCrawl(crawl));
    expect(letter).toMatchObject({ class: 'overloaded', hostParked: true, headers: { 'retry-after': '2' } });
    await expectExact(pool, crawl);
  });
});

describe('a list', () => {
  it('goes on by its cursor: each letter once, also while others are driven again', async () => {
    const crawl = await runningCrawl(pool);
    const urls: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      const host = await newHost(pool, `https://${name}.example`);
      const here = Array.from({ length: 7 }, (_, at) => `https://${name}.example/${String(at)}`);
      urls.push(...here);
      await fetched(host, crawl, Object.fromEntries(here.map((url) => [url, failedWith('client-error')])));
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await readDeadLetters(pool, ofCrawl(crawl), cursor, 4);
      if (page === 'bad-cursor') throw new Error('our own cursor');
      seen.push(...page.items.map(({ url }) => url));
      // What was shown is driven again: the cursor stands where it stood.
      await redriveBatch(pool, ofCrawl(crawl, { key: keyOf(page.items[0]?.url ?? '') }), null);
      cursor = page.next;
    } while (cursor !== null);
    expect(seen.toSorted()).toEqual(urls.toSorted());
    expect(await readDeadLetters(pool, ofCrawl(crawl), 'nonsense', 4)).toBe('bad-cursor');
  });
});

describe('driving again', () => {
  it('takes one URL, one class, one host, one crawl, or one class of a host', async () => {
    const [a, b] = [await newHost(pool), await newHost(pool)];
    const [crawl, other] = [await runningCrawl(pool), await runningCrawl(pool)];
    const both = {
      'https://x.example/1': failedWith('client-error'),
      'https://x.example/2': failedWith('reset'),
    };
    for (const each of [crawl, other]) {
      await fetched(a, each, both);
      await fetched(b, each, both);
    }
    const count = async () =>
      [await letters(ofCrawl(crawl)), await letters(ofCrawl(other))].map((all) => all.length);
    expect(await count()).toEqual([4, 4]);
    const one = ofCrawl(crawl, { hostId: String(a), key: keyOf('https://x.example/1') });
    expect(await redriveBatch(pool, one, null)).toMatchObject({ requeued: 1, hosts: [a], next: null });
    expect(await redriveBatch(pool, one, null)).toMatchObject({ requeued: 0 });
    expect(await count()).toEqual([3, 4]);
    await redriveBatch(pool, ofCrawl(crawl, { hostId: String(b), class: 'reset' }), null);
    expect(await letters(ofCrawl(crawl, { hostId: String(b) }))).toEqual([
      'https://x.example/1 client-error',
    ]);
    expect(await count()).toEqual([2, 4]);
    await redriveBatch(pool, { crawlId: null, hostId: String(a), class: null, key: null }, null);
    expect(await count()).toEqual([1, 2]);
    await redriveBatch(pool, ofCrawl(other), null);
    expect(await count()).toEqual([1, 0]);
    for (const each of [crawl, other]) await expectExact(pool, each);
  });

  it('gives a URL all its tries and redirects back, and makes it due', async () => {
    const [host, crawl] = [await newHost(pool), await runningCrawl(pool)];
    const url = 'https://x.example/1';
    await fetched(host, crawl, {
      [url]: ['queued', { reason: 'server-error', attempted: true, own: true, due_in_ms: 0 }],
    });
    await fetched(host, crawl, { [url]: failedWith('server-error') });
    await tables.url.change(pool, { host_id: host }, { reclaims: 5, hops: 6 });
    await redriveBatch(pool, ofCrawl(crawl), null);
    const rows = (await tables.url.rows(pool, { host_id: host })).map((row) => ({
      ...{
        state: row.state,
        tries: row.tries,
        attempts: row.attempts,
        reclaims: row.reclaims,
        hops: row.hops,
      },
      ...{ reason: row.reason, detail: row.detail, due: row.due_at_ms <= 0 },
    }));
    expect(rows).toEqual([
      { state: 'queued', tries: 0, attempts: 0, reclaims: 0, hops: 1, reason: null, detail: null, due: true },
    ]);
  });

  it('leaves 401 and 403 alone for seven days, and says until when', async () => {
    const [host, crawl] = [await newHost(pool), await runningCrawl(pool)];
    await fetched(host, crawl, {
      'https://x.example/1': failedWith('forbidden', { status: 403 }),
      'https://x.example/2': failedWith('client-error', { status: 400 }),
    });
    const before = Date.now();
    await age(restMs - 60_000);
    const aged = Date.now();
    const early = await redriveBatch(pool, ofCrawl(crawl), null);
    expect(early).toMatchObject({ requeued: 1, resting: 1 });
    expect(early.notBefore).toBeGreaterThan(before + 59_000);
    expect(early.notBefore).toBeLessThan(aged + 61_000);
    expect(await letters(ofCrawl(crawl))).toEqual(['https://x.example/1 forbidden']);
    await age(restMs + 1_000);
    expect(await redriveBatch(pool, ofCrawl(crawl), null)).toMatchObject({
      requeued: 1,
      resting: 0,
      notBefore: null,
    });
    await expectExact(pool, crawl);
  });

  it('sets a crawl that had ended running again, and says so in its events', async () => {
    const [host, crawl] = [await newHost(pool), await runningCrawl(pool)];
    await fetched(host, crawl, { 'https://x.example/1': failedWith('client-error') });
    await setState(pool, crawl, 'finished');
    await redriveBatch(pool, ofCrawl(crawl), null);
    expect(await tables.crawl.row(pool, { id: crawl })).toMatchObject({
      ...{ state: 'running', reason: null, ended_at: null },
    });
    expect((await tables.event.rows(pool, { crawl_id: crawl })).at(-1)).toMatchObject({
      kind: 'crawl.reopened',
    });
  });

  it.each([
    ['cancelled', 'cancelled'],
    ['finished', 'limit:max-pages'],
    ['draining', 'limit:max-seconds'],
  ] as const)('leaves the letters of a crawl that is %s (%s)', async (state, cause) => {
    const [host, crawl] = [await newHost(pool), await runningCrawl(pool)];
    await fetched(host, crawl, { 'https://x.example/1': failedWith('timeout') });
    await moveCrawl(pool, crawl, state);
    await changeCrawl(pool, crawl, { cause });
    for (const filter of [
      ofCrawl(crawl),
      { crawlId: null, hostId: String(host), class: 'timeout', key: null } as const,
    ])
      expect(await redriveBatch(pool, filter, null)).toMatchObject({
        requeued: 0,
        barred: 1,
      });
    expect(await letters(ofCrawl(crawl))).toHaveLength(1);
    expect(await stateOf(crawl)).toBe(state);
  });

  it('queues at a parked host, where it waits, and reopens no crawl for that', async () => {
    const [host, crawl] = [await newHost(pool), await runningCrawl(pool)];
    await fetched(host, crawl, { 'https://x.example/1': failedWith('client-error') });
    await park(host);
    await changeCrawl(pool, crawl, { state: 'finished', cause: 'complete' });
    expect(await redriveBatch(pool, ofCrawl(crawl), null)).toMatchObject({ requeued: 1, atParked: 1 });
    expect(await stateOf(crawl)).toBe('finished');
    expect(await hostRow(pool, host)).toMatchObject({ parked_at: expect.any(Date) as Date });
    await unparkHost(pool, String(host));
    expect((await reopenCrawlsAtHost(pool, String(host))).map(({ id }) => id)).toEqual([crawl]);
    expect(await stateOf(crawl)).toBe('running');
  });

  it('at the very moment a host is unparked leaves no URL queued in a crawl that has ended', async () => {
    for (let round = 0; round < 40; round++) {
      const [host, crawl] = [await newHost(pool), await runningCrawl(pool)];
      await fetched(host, crawl, { 'https://x.example/1': failedWith('client-error') });
      await park(host);
      await changeCrawl(pool, crawl, { state: 'finished', cause: 'complete' });
      const unpark = async (): Promise<void> => {
        await unparkHost(pool, String(host));
        await reopenCrawlsAtHost(pool, String(host));
      };
      await Promise.all([redriveBatch(pool, ofCrawl(crawl), null), unpark()]);
      expect(await stateOf(crawl), `round ${String(round)}`).toBe('running');
    }
  });

  it('by many at once, parking and unparking meanwhile: none lost, none doubled', async () => {
    const crawl = await runningCrawl(pool);
    const hosts = await Promise.all(Array.from({ length: 4 }, () => newHost(pool)));
    const urls = Array.from({ length: 30 }, (_, at) => `https://x.example/${String(at)}`);
    for (const host of hosts)
      await fetched(host, crawl, Object.fromEntries(urls.map((url) => [url, failedWith('timeout')])));
    const filters = hosts.map((host) => ({ crawlId: null, hostId: String(host), class: null, key: null }));
    const operator = async (turn: number): Promise<number> => {
      let queued = 0;
      for (let round = 0; round < 6; round++) {
        const host = hosts[(turn + round) % hosts.length] ?? 0;
        if (turn % 2 === 0) await park(host);
        const filter = filters[(turn + round) % filters.length];
        queued += (await redriveBatch(pool, filter ?? ofCrawl(crawl), null, 7)).requeued;
        if (turn % 2 === 0) await unparkHost(pool, String(host));
        queued += (await redriveBatch(pool, ofCrawl(crawl), null, 11)).requeued;
      }
      return queued;
    };
    const queued = await Promise.all(Array.from({ length: 8 }, (_, turn) => operator(turn)));
    const ledger = await expectExact(pool, crawl);
    expect(ledger.queued).toBe(queued.reduce((sum, each) => sum + each, 0));
    expect(ledger.queued + ledger.failed).toBe(hosts.length * urls.length);
  });
});

describe('the audit', () => {
  it.each<[string, (of: { crawl_id: number }) => Promise<unknown>, string]>([
    ['a letter that is gone', (of) => tables.letter.remove(pool, of), 'failed-without-letter'],
    [
      'a letter of a URL that is queued',
      (of) => tables.url.change(pool, of, { state: 'queued' }),
      'letter-without-failed',
    ],
    [
      'a letter of another class',
      (of) => tables.letter.change(pool, of, { class: 'tls' }),
      'letter-of-another-class',
    ],
  ])('finds %s', async (_what, damage, check) => {
    const [host, crawl] = [await newHost(pool), await runningCrawl(pool)];
    await fetched(host, crawl, { 'https://x.example/1': failedWith('client-error') });
    await damage({ crawl_id: crawl });
    const audit = await auditCrawl(pool, String(crawl));
    expect(audit?.differences.map((difference) => difference.check)).toContain(check);
  });
});
