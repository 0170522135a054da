/** URLs that were gone for thirty days leave the frontier (F10): their rows go, their counts stay. */
import { expect, it, vi } from 'vitest';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { canonicalize } from '../../../domain/url.ts';
import { Admission } from '../../../engine/admission/admission.ts';
import { candidate } from '../../../engine/admission/candidates.ts';
import { openBooks } from '../../../engine/books/books.ts';
import { MemorySeenCache } from '../../../storage/seen/index.ts';
import { forgetDead } from '../../../storage/frontier/index.ts';
import { endStanding } from '../../../storage/recrawl/index.ts';
import { reportCrawl } from '../../../storage/reports/index.ts';
import { keep } from '../../../engine/chores.ts';
import { removal } from '../../../workers/removal.ts';
import { addUrl, fromNow, tables, type UrlPlace } from '../../support/database/index.ts';
import { until } from '../../support/until.ts';
import { admission, expectExact, moveCrawl, runningCrawl, withFrontier } from './frontier.ts';

const frontier = withFrontier();
const { pool } = frontier;

const day = 86_400;

type Place = readonly [crawlId: number, fetchedAt: string, hostId: number, key: Buffer];
const start: Place = [0, '-infinity', 0, Buffer.alloc(0)];
const forget = async (): Promise<number | undefined> =>
  (await forgetDead(pool, 30, 2, 100, ...start))[0]?.urls;

it('forgets what was gone for long, a batch at a time, and keeps every sum', async () => {
  const { writer } = frontier;
  const id = await runningCrawl(pool, { scope: 'any' });
  const origin = 'https://gone.example';
  const dead = (path: string, days: number): Promise<UrlPlace> =>
    addUrl(pool, id, `${origin}${path}`, {
      ...{ state: 'dead', fetches: 2, bytes: 9, fetched_at: fromNow(-days * day) },
    });
  const old = await dead('/old', 31);
  for (const path of ['/old-2', '/old-3']) await dead(path, 40);
  await dead('/young', 29);
  // A page that the old one named while it was still there.
  const child = await addUrl(pool, id, `${origin}/child`, {
    ...{ state: 'done', fetched_at: fromNow(-50 * day) },
    ...{ parent_host: old.hostId, parent_key: old.key },
  });
  const place = { host_id: old.hostId, crawl_id: id, key: old.key };
  await tables.attempt.add(pool, { ...place, class: 'timeout', message: '' });
  await tables.linkCount.add(pool, { ...place, hosts: 1, pages: 1 });
  await tables.standing.add(pool, { crawl_id: id, pages: 5, allowance: 0, queued: 0 });
  await tables.history.add(pool, {
    ...{ ...place, class: 1, visits: 2, dead_visits: 2, importance: 1, rate: 1, unchanged_in_row: 0 },
    ...{ unchanged_days: 0, changed_after: [], seen_at: fromNow(-31 * day), body_sign: Buffer.of(1) },
  });
  const before = await expectExact(pool, id);
  expect(before).toMatchObject({ dead: 4, done: 1 });

  // A crawl that has ended has no active set: what it found is kept.
  await moveCrawl(pool, id, 'finished');
  expect(await forget()).toBe(0);
  await moveCrawl(pool, id, 'running');
  expect(await forget()).toBe(2);
  expect(await forget()).toBe(1);
  expect(await forget()).toBe(0);

  expect(await expectExact(pool, id)).toEqual(before);
  const left = await tables.url.rows(pool, { crawl_id: id });
  expect(left.map(({ url }) => url.slice(origin.length))).toEqual(['/child', '/young']);
  expect(await tables.queue.row(pool, { crawl_id: id })).toMatchObject({ total: 2 });
  expect(await tables.attempt.count(pool, { crawl_id: id })).toBe(0);
  expect(await tables.linkCount.count(pool, { crawl_id: id })).toBe(0);
  expect(await tables.history.count(pool, { crawl_id: id })).toBe(0);
  expect(await tables.standing.row(pool, { crawl_id: id })).toMatchObject({ pages: 4 });
  expect((await reportCrawl(pool, String(id), new Date()))?.totals).toMatchObject({ forgotten: 3 });
  const told = await explainUrlOf(pool, String(id), `${origin}/old`, 'Orbweaver/0.0');
  expect(told?.summary).toContain('It may be among 3 URLs of this host that the crawl forgot');

  // A link to it makes it a new URL; no link makes it two.
  const again = admission(old.hostId, id, `${origin}/old`, {
    ...{ key: old.key.toString('hex'), parent_host: child.hostId, parent_key: child.key.toString('hex') },
  });
  await writer.write({ admissions: [again] });
  await writer.write({ admissions: [again] });
  expect(await expectExact(pool, id)).toMatchObject({ dead: 4, queued: 1 });
});

/** A dead page that a standing crawl asks for again. */
async function keptPage(id: number, url: string, daysGone: number, deadVisits: number): Promise<UrlPlace> {
  const gone = await addUrl(pool, id, url, { state: 'dead', fetched_at: fromNow(-daysGone * day) });
  await tables.history.add(pool, {
    ...{ host_id: gone.hostId, crawl_id: id, key: gone.key, class: 2, visits: 3, dead_visits: deadVisits },
    ...{ importance: 1, rate: 1, unchanged_in_row: 0, unchanged_days: 0, changed_after: [] },
    ...{ seen_at: fromNow(-daysGone * day), body_sign: Buffer.of(1), next_due: fromNow(30 * day) },
  });
  return gone;
}

it('keeps a page that a standing crawl asks for again, until it was found gone four times in a row', async () => {
  const id = await runningCrawl(pool, { scope: 'any' });
  await tables.standing.add(pool, { crawl_id: id, pages: 1, allowance: 0, queued: 0 });
  const { hostId, key } = await keptPage(id, 'https://rare.example/', 60, 3);
  expect(await forget()).toBe(0);
  await tables.history.change(pool, { host_id: hostId, crawl_id: id, key }, { dead_visits: 4 });
  expect(await forget()).toBe(1);
});

it('keeps no page of a crawl that stands no more', async () => {
  const id = await runningCrawl(pool, { scope: 'any' });
  await tables.standing.add(pool, { crawl_id: id, pages: 1, allowance: 0, queued: 0 });
  await keptPage(id, 'https://stood.example/', 60, 1);
  expect(await forget()).toBe(0);
  await endStanding(pool, String(id));
  expect(await forget()).toBe(1);
});

it('looks at some URLs at a time, and goes on behind those that stay', async () => {
  const id = await runningCrawl(pool, { scope: 'any' });
  await tables.standing.add(pool, { crawl_id: id, pages: 3, allowance: 0, queued: 0 });
  for (const [at, days] of [60, 60, 50].entries())
    await keptPage(id, `https://kept.example/${String(at)}`, days, 0);
  await addUrl(pool, id, 'https://kept.example/gone', { state: 'dead', fetched_at: fromNow(-40 * day) });
  const seen: (number | undefined)[] = [];
  let place = start;
  while (seen.length < 5) {
    const [some] = await forgetDead(pool, 30, 2, 1, ...place);
    seen.push(some?.urls);
    if (some === undefined || some.crawl_id === null) break;
    place = [some.crawl_id, some.fetched_at, some.host_id, some.key];
  }
  expect(seen).toEqual([0, 0, 0, 1, 0]);
});

it('that fails does not keep the archive from being tidied, and is told', async () => {
  const query = (statement: unknown, ...rest: unknown[]): unknown =>
    JSON.stringify(statement).includes('forget-dead')
      ? Promise.reject(new Error('canceling statement due to statement timeout'))
      : (pool.query as (...all: unknown[]) => unknown).call(pool, statement, ...rest);
  const slow = new Proxy(pool, { get: (target, name) => name === 'query' ? query : Reflect.get(target, name) as unknown }); // prettier-ignore
  const warn = vi.fn();
  const merge = vi.fn(() => Promise.resolve(false));
  const upkeep = { closeLeft: () => Promise.resolve(0), look: () => Promise.resolve(false), merge };
  const parts = { own: { turn: () => Promise.resolve() }, upkeep, index: {} };
  const log = { warn, info: vi.fn(), debug: vi.fn() };
  const stop = keep(removal(slow, parts as never, null, log as never), log as never);
  try {
    await until('the archive is tidied', () => merge.mock.calls.length > 0);
  } finally {
    await stop();
  }
  expect(JSON.stringify(warn.mock.calls)).toContain('could not be forgotten');
});

it('makes caches forget as well, at most for some minutes a day: a link makes a URL of it again', async () => {
  const { writer } = frontier;
  const id = await runningCrawl(pool, { scope: 'any' });
  const url = 'https://back.example/gone';
  const place = { host_id: 0, crawl_id: id };
  const age = async (): Promise<void> => {
    await tables.url.change(pool, place, { state: 'dead', fetched_at: fromNow(-31 * day) });
  };
  const books = openBooks(pool, { userAgent: 'test/1', allowPrivate: [], shards: 1 });
  const seen = new MemorySeenCache(1_000);
  const admit = async (): Promise<number> => {
    const link = canonicalize(url);
    if (!link.ok) throw new Error(link.rejected);
    books.crawls.forget(id);
    const open = await books.crawls.open(id);
    const admitting = new Admission({ seen, wakeHosts: () => undefined }, books);
    const found = [candidate(open, link.value, { in: 'offer', depth: 1 })];
    return (await admitting.store(writer, found)).admitted;
  };
  expect(await admit()).toBe(1);
  place.host_id = (await tables.url.row(pool, { crawl_id: id })).host_id;
  await age();
  // Seen, and still there.
  expect(await admit()).toBe(0);

  expect(await forget()).toBe(1);
  expect(await admit()).toBe(1);

  await age();
  await tables.forgetting.change(pool, { crawl_id: id }, { begun_at: fromNow(-3_600) });
  expect(await forget()).toBe(0);
  await tables.forgetting.change(pool, { crawl_id: id }, { begun_at: fromNow(-day - 60) });
  expect(await forget()).toBe(1);
  expect(await admit()).toBe(1);
  expect(await admit()).toBe(0);
});
