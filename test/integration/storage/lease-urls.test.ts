/** Which URLs a slice gets: due ones, best first, crawls in turn, and never more pages than a crawl may have. */
import { beforeEach, describe, expect, it } from 'vitest';
import { CrawlBook, type OpenCrawl } from '../../../engine/books/crawl-book.ts';
import { leaseWithinLimits } from '../../../engine/visit/lease-within-limits.ts';
import { leaseUrls, returnUrls } from '../../../storage/frontier/index.ts';
import { waitingCrawls } from '../../../storage/feeding/index.ts';
import {
  addTenant,
  changeCrawl,
  fromNow,
  ledgerPages,
  tables,
  urlsDone,
} from '../../support/database/index.ts';
import {
  admission,
  expectExact,
  leased,
  moveCrawl,
  names,
  newHost,
  result,
  runningCrawl,
  takenLease,
  withFrontier,
} from './frontier.ts';

const frontier = withFrontier(16);
const { pool } = frontier;
let host: number;
let token: number;
beforeEach(async () => {
  host = await newHost(pool);
  token = await takenLease(pool, host);
});

const settings = {
  userAgent: 'Orbweaver',
  allowPrivate: [],
  maxBodyBytes: 1,
  requestTimeoutMs: 1,
  sliceMs: 1,
  leaseMs: 1,
  shards: 1,
};
const queue = async (crawl: number, count: number, stem = 'q', at = host): Promise<void> => {
  await frontier.writer.write({ admissions: names(count, stem).map((url) => admission(at, crawl, url)) });
};
const turns = async (limit: number): Promise<number[]> =>
  (await leased(pool, host, token, limit)).map(({ crawl_id }) => crawl_id);

describe('order', () => {
  it('best priority first, then by key; only what is queued and due', async () => {
    const crawl = await runningCrawl(pool);
    const priorities = [0.25, 1, 0.5, 2, 0.25];
    const rows = names(5, 'ordered').map((url, at) =>
      admission(host, crawl, url, { priority: priorities[at] ?? 0 }),
    );
    await frontier.writer.write({ admissions: rows });
    await tables.url.change(pool, { crawl_id: crawl, priority: 1 }, { due_at: fromNow(3_600) });
    const expected = rows
      .filter(({ priority }) => priority !== 1)
      .toSorted((a, b) => b.priority - a.priority || (a.key < b.key ? -1 : 1))
      .map(({ key }) => key);
    const got = await leased(pool, host, token, 10);
    expect(got.map(({ key }) => key)).toEqual(expected);
    expect(await leased(pool, host, token, 10)).toEqual([]);
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 1, leased: 4 });
  });

  it('gives nothing of crawls that do not run, nor of other hosts', async () => {
    const elsewhere = await newHost(pool);
    const crawl = await runningCrawl(pool);
    await queue(crawl, 2);
    await queue(crawl, 2, 'elsewhere', elsewhere);
    for (const state of ['paused', 'draining', 'seeding', 'finished'] as const) {
      await moveCrawl(pool, crawl, state);
      expect(await turns(10)).toEqual([]);
      expect(await waitingCrawls(pool, host)).toEqual([]);
    }
    await moveCrawl(pool, crawl, 'running');
    expect(await waitingCrawls(pool, host)).toMatchObject([
      { crawl_id: crawl, asked_ago_ms: null, held_ms: 0 },
    ]);
    expect(await turns(10)).toHaveLength(2);
  });
});

/** Fetches so many URLs in slices of one to seven, and puts back the last one of every third. */
async function turnsOfSlices(crawls: readonly number[], count: number): Promise<number[]> {
  const open = await Promise.all(crawls.map((crawl) => new CrawlBook(pool, settings).open(crawl)));
  const got: number[] = [];
  for (let slice = 0; got.length < count; slice++) {
    const urls = await leaseWithinLimits(pool, String(host), token, 1 + (slice % 7), open);
    const done = slice % 3 === 0 && urls.length > 1 ? urls.slice(0, -1) : urls;
    const rows = done.map(({ crawl_id, key }) => result({ host_id: host, crawl_id, key, token }, 'done'));
    await frontier.writer.write({ results: rows });
    got.push(...done.map(({ crawl_id }) => crawl_id));
    await returnUrls(pool, String(host), token);
  }
  return got;
}

describe('fairness between crawls (G3)', () => {
  it('takes turns, and gives what one does not need to the others', async () => {
    const [large, small] = [await runningCrawl(pool), await runningCrawl(pool)];
    await queue(large, 50, 'large');
    await queue(small, 3, 'small');
    const got = await turns(10);
    expect(got.slice(0, 6).map((crawl, at) => [crawl, at % 2])).toEqual(
      got[0] === large
        ? [0, 1, 0, 1, 0, 1].map((second) => [second === 0 ? large : small, second])
        : [0, 1, 0, 1, 0, 1].map((second) => [second === 0 ? small : large, second]),
    );
    expect(got.slice(6)).toEqual([large, large, large, large]);
  });

  it('lets the crawl that waited longest go first where a slice is a single URL', async () => {
    const crawls = [await runningCrawl(pool), await runningCrawl(pool), await runningCrawl(pool)];
    for (const [at, crawl] of crawls.entries()) await queue(crawl, 10 * (at + 1), `slow-${String(at)}`);
    const got: number[] = [];
    for (let slice = 0; slice < 12; slice++) got.push(...(await turns(1)));
    expect(got).toHaveLength(12);
    for (let round = 0; round < 12; round += 3) expect(new Set(got.slice(round, round + 3)).size).toBe(3);
  });

  it('does not let a newcomer starve one that is there, nor the other way round', async () => {
    const first = await runningCrawl(pool);
    await queue(first, 20, 'first');
    for (let slice = 0; slice < 4; slice++) await turns(1);
    const second = await runningCrawl(pool);
    await queue(second, 20, 'second');
    const got: number[] = [];
    for (let slice = 0; slice < 6; slice++) got.push(...(await turns(1)));
    expect(got).toEqual([second, first, second, first, second, first]);
  });

  it('goes by weights, however many URLs a slice takes, and whatever is put back', async () => {
    const weights = [1, 2, 5];
    const crawls: number[] = [];
    for (const weight of weights) {
      const crawl = await runningCrawl(pool, { weight });
      await queue(crawl, 200, `weight-${String(weight)}`);
      crawls.push(crawl);
    }
    const got = await turnsOfSlices(crawls, 160);
    for (const [at, weight] of weights.entries()) {
      const turnsOf = (until: number): number =>
        got.slice(0, until).filter((crawl) => crawl === crawls[at]).length;
      // At no time is anybody more than two turns away from what is due.
      for (let until = 8; until <= 160; until++) {
        expect(Math.abs(turnsOf(until) - (until * weight) / 8)).toBeLessThanOrEqual(2);
      }
    }
  });

  it('is between tenants first, and then between the crawls of each, whatever is put back', async () => {
    const [many, one] = [
      await addTenant(pool, `many-${String(host)}`),
      await addTenant(pool, `one-${String(host)}`),
    ];
    const shares = [
      { tenant: many, weight: 1, share: 1 / 8 },
      { tenant: many, weight: 3, share: 3 / 8 },
      { tenant: one, weight: 1, share: 1 / 2 },
    ];
    const crawls: number[] = [];
    for (const { tenant, weight } of shares) {
      const crawl = await runningCrawl(pool, { weight });
      await changeCrawl(pool, crawl, { tenant_id: tenant });
      await queue(crawl, 200, `tenant-${String(crawl)}`);
      crawls.push(crawl);
    }
    const got = await turnsOfSlices(crawls, 160);
    for (const [at, { share }] of shares.entries()) {
      for (let until = 8; until <= 160; until++) {
        const had = got.slice(0, until).filter((crawl) => crawl === crawls[at]).length;
        expect(Math.abs(had - until * share)).toBeLessThanOrEqual(2);
      }
    }
  });

  it('gives a tenant that is alone every turn, and half of them once another has come', async () => {
    const [first, second] = [await runningCrawl(pool), await runningCrawl(pool)];
    await queue(first, 60, 'alone-1');
    await queue(second, 60, 'alone-2');
    await turnsOfSlices([first, second], 30);
    const later = await runningCrawl(pool);
    await changeCrawl(pool, later, { tenant_id: await addTenant(pool, `later-${String(host)}`) });
    await queue(later, 60, 'later');
    const got = await turnsOfSlices([first, second, later], 40);
    expect(Math.abs(got.filter((crawl) => crawl === later).length - 20)).toBeLessThanOrEqual(2);
    expect(Math.abs(got.filter((crawl) => crawl === first).length - 10)).toBeLessThanOrEqual(2);
  });

  it('does not count what is put back as a turn', async () => {
    const crawls = [await runningCrawl(pool), await runningCrawl(pool)];
    for (const crawl of crawls) await queue(crawl, 60, `back-${String(crawl)}`);
    const got: number[] = [];
    while (got.length < 30) {
      const places = await leased(pool, host, token, 4);
      // A slice that has time for three of four.
      const rows = places.slice(0, 3).map((place) => result(place, 'done'));
      await frontier.writer.write({ results: rows });
      await returnUrls(pool, String(host), token);
      got.push(...rows.map(({ crawl_id }) => crawl_id));
    }
    expect(got).toEqual(got.map((_, at) => got[at % 2]));
    expect(got[0]).not.toBe(got[1]);
  });

  it('does not let a crawl that was away make up for it', async () => {
    const [steady, away, other] = [
      await runningCrawl(pool),
      await runningCrawl(pool),
      await runningCrawl(pool),
    ];
    for (const crawl of [steady, away, other]) await queue(crawl, 40, `away-${String(crawl)}`);
    await moveCrawl(pool, away, 'paused');
    for (let slice = 0; slice < 20; slice++) await turns(1);
    await moveCrawl(pool, away, 'running');
    const got: number[] = [];
    for (let slice = 0; slice < 9; slice++) got.push(...(await turns(1)));
    for (let round = 0; round < 9; round += 3) expect(new Set(got.slice(round, round + 3)).size).toBe(3);
  });

  it('does not count a priority of one crawl against another’s', async () => {
    const [modest, loud] = [await runningCrawl(pool), await runningCrawl(pool)];
    await queue(modest, 5, 'modest');
    await frontier.writer.write({
      admissions: names(50, 'loud').map((url) => admission(host, loud, url, { priority: 100 })),
    });
    expect((await turns(10)).filter((crawl) => crawl === modest)).toHaveLength(5);
  });
});

describe('what was leased', () => {
  it('goes back under its own token only', async () => {
    const crawl = await runningCrawl(pool);
    await queue(crawl, 3);
    await turns(3);
    expect(await returnUrls(pool, String(host), token + 1)).toEqual([]);
    expect(await expectExact(pool, crawl)).toMatchObject({ leased: 3 });
    expect(await returnUrls(pool, String(host), token)).toHaveLength(3);
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 3, leased: 0 });
  });
});

describe('page limits (leaseWithinLimits)', () => {
  const opened = (crawl: number): Promise<OpenCrawl> => new CrawlBook(pool, settings).open(crawl);

  it('never has more URLs in hand than pages may still come', async () => {
    const crawl = await runningCrawl(pool, { maxPages: 5 });
    const open = await opened(crawl);
    await queue(crawl, 20);
    const first = await leaseWithinLimits(pool, String(host), token, 3, [open]);
    expect(first).toHaveLength(3);
    expect(await leaseWithinLimits(pool, String(host), token, 10, [open])).toHaveLength(2);
    expect(await leaseWithinLimits(pool, String(host), token, 10, [open])).toEqual([]);
    // One turns out to be a page, one to be gone: that one's room is free again.
    const [page, gone] = first.map(({ crawl_id, key }) => ({
      host_id: host,
      crawl_id,
      key,
      token,
    }));
    if (page === undefined || gone === undefined) throw new Error('nothing was leased');
    await frontier.writer.write({ results: [result(page, 'done'), result(gone, 'dead')] });
    expect(await leaseWithinLimits(pool, String(host), token, 10, [open])).toHaveLength(1);
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 1, dead: 1, leased: 4 });
  });

  it('leaves crawls without a limit alone, beside one that has reached its own', async () => {
    const [limited, free] = [await runningCrawl(pool, { maxPages: 1 }), await runningCrawl(pool)];
    await queue(limited, 5, 'limited');
    await queue(free, 5, 'free');
    const open = [await opened(limited), await opened(free)];
    const got = (await leaseWithinLimits(pool, String(host), token, 10, open)).map(
      ({ crawl_id }) => crawl_id,
    );
    expect(got.filter((crawl) => crawl === limited)).toHaveLength(1);
    expect(got.filter((crawl) => crawl === free)).toHaveLength(5);
  });

  it('is exact while slices of many hosts lease and commit at once', async () => {
    const limit = 37;
    const crawl = await runningCrawl(pool, { maxPages: limit });
    const hosts = await Promise.all(Array.from({ length: 8 }, () => newHost(pool)));
    for (const [at, each] of hosts.entries()) await queue(crawl, 30, `host-${String(at)}`, each);
    const open = await opened(crawl);
    const pages = (): Promise<number> => ledgerPages(pool, crawl);
    await Promise.all(
      hosts.map(async (each, place) => {
        const held = await takenLease(pool, each);
        for (let slice = 0; ; slice++) {
          const urls = await leaseWithinLimits(pool, String(each), held, 3, [open]);
          if (urls.length === 0 && (await pages()) >= limit) return;
          const rows = urls.map(({ crawl_id, key }, at) => {
            const place_ = { host_id: each, crawl_id, key, token: held };
            // Every fourth is gone, and gives its room back.
            return result(place_, (slice + at + place) % 4 === 0 ? 'dead' : 'done');
          });
          await frontier.writer.write({ results: rows });
          expect(await pages()).toBeLessThanOrEqual(limit);
        }
      }),
    );
    expect(await urlsDone(pool, crawl)).toBe(limit);
    await expectExact(pool, crawl);
  });

  it('holds for a crawl that comes to the host after the slice looked who is there', async () => {
    const crawl = await runningCrawl(pool, { maxPages: 2 });
    const there = (await waitingCrawls(pool, host)).map(({ crawl_id }) => crawl_id);
    await queue(crawl, 10);
    const got = await leaseWithinLimits(pool, String(host), token, 10, await Promise.all(there.map(opened)));
    expect(got.length).toBeLessThanOrEqual(2);
  });
});

describe('leaseUrls', () => {
  const rooms = (crawl: number, pages: number | null): string => JSON.stringify([{ crawl_id: crawl, pages }]);

  it('honours the rooms it is given, and gives nothing to crawls without one', async () => {
    const crawl = await runningCrawl(pool);
    await queue(crawl, 5);
    expect(await leaseUrls(pool, String(host), token, 10, '[]')).toEqual([]);
    expect(await leaseUrls(pool, String(host), token, 10, rooms(crawl, 0))).toEqual([]);
    expect(await leaseUrls(pool, String(host), token, 10, rooms(crawl, 2))).toHaveLength(2);
    expect(await leaseUrls(pool, String(host), token, 10, rooms(crawl, null))).toHaveLength(3);
  });

  it('gives nothing under a lease that was lost', async () => {
    const crawl = await runningCrawl(pool);
    await queue(crawl, 5);
    expect(await leaseUrls(pool, String(host), token - 1, 10, rooms(crawl, null))).toEqual([]);
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 5 });
  });
});

describe('as they are found', () => {
  const found = (crawl: number, urls: number, by = token, priorities: readonly number[] = [0.5]) =>
    names(priorities.length, `found-${String(crawl)}`).map((url, at) =>
      admission(host, crawl, url, { priority: priorities[at] ?? 0, lease: { token: by, urls } }),
    );

  it('the best so many are leased, the others queued', async () => {
    const crawl = await runningCrawl(pool);
    const admissions = found(crawl, 2, token, [0.25, 2, 1]);
    const written = await frontier.writer.write({ admissions });
    expect(written).toMatchObject({ admitted: 3, queued: 3 });
    expect(written.leased.map(({ priority }) => priority).toSorted()).toEqual([1, 2]);
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 1, leased: 2 });
    expect(await returnUrls(pool, String(host), token)).toHaveLength(2);
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 3, leased: 0 });
  });

  it('is in the hands of the visit that named its lease, and of no other whose page has the same link', async () => {
    const crawl = await runningCrawl(pool);
    const own = found(crawl, 9);
    const others = own.map(({ lease: _, ...row }) => row);
    const [elsewhere, here, late] = await Promise.all(
      [others, own, own].map((admissions) => frontier.writer.write({ admissions })),
    );
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 0, leased: 1 });
    expect([elsewhere?.leased, here?.leased, late?.leased].map((rows) => rows?.length)).toEqual([0, 1, 0]);
    expect([elsewhere?.admitted, here?.admitted, late?.admitted]).toEqual([1, 0, 0]);
  });

  it('none is leased where something else is queued, of this crawl or of another', async () => {
    const [crawl, other] = [await runningCrawl(pool), await runningCrawl(pool)];
    await queue(other, 1);
    expect((await frontier.writer.write({ admissions: found(crawl, 9) })).leased).toEqual([]);
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 1, leased: 0 });
  });

  it('none is leased by a lease that is over, for a crawl that does not run, or before it is due', async () => {
    const crawl = await runningCrawl(pool);
    const late = admission(host, crawl, 'https://x.example/late', {
      due_in_ms: 60_000,
      lease: { token, urls: 9 },
    });
    for (const admissions of [found(crawl, 9, token - 1), [late]])
      expect((await frontier.writer.write({ admissions })).leased).toEqual([]);
    const paused = await runningCrawl(pool);
    await moveCrawl(pool, paused, 'paused');
    host = await newHost(pool);
    token = await takenLease(pool, host);
    expect((await frontier.writer.write({ admissions: found(paused, 9) })).leased).toEqual([]);
    for (const each of [crawl, paused]) expect(await expectExact(pool, each)).toMatchObject({ leased: 0 });
  });
});
