/** The statements of a host's lease (docs/design.md, "Crash safety"): who may have it, and what is known of it then. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  askRobots,
  changeSettings,
  saveLessons,
  type LessonsRow,
  unparkHost,
} from '../../../storage/hosts/index.ts';
import type { CrawlState } from '../../../contracts/crawl.ts';
import {
  askGuestLease,
  cutLeases,
  cutVisit,
  leaveHostAlone,
  releaseLease,
  renewLeases,
  takeGuestLease,
  takeLease,
  type TakenLease,
} from '../../../storage/leases/index.ts';
import { handOutUrls } from '../../../storage/lending/index.ts';
import { inTransaction } from '../../../storage/postgres/index.ts';
import {
  addUrl,
  changeHost,
  fromNow,
  hostRow,
  leaseEnded,
  setState,
  type HostColumns,
} from '../../support/database/index.ts';
import { newHost, runningCrawl, withFrontier } from './frontier.ts';

const frontier = withFrontier(20);
const { pool } = frontier;
let host: number;
const minute = 60_000;
beforeEach(async () => {
  host = await newHost(pool);
});

const take = async (leaseMs = minute): Promise<TakenLease | undefined> =>
  (await takeLease(pool, String(host), leaseMs))[0];
const takeAsGuest = async (): Promise<TakenLease | undefined> =>
  (await takeGuestLease(pool, host, minute))[0];
const got = async (): Promise<TakenLease> => {
  const lease = await take();
  if (lease === undefined) throw new Error('the lease is taken');
  return lease;
};
const release = async (token: number, waitMs = 0): Promise<boolean> =>
  (await releaseLease(pool, host, token, { waitMs, paceMs: 0, failures: 0, lastError: null, visit: null }))
    .length > 0;
const expire = () => leaseEnded(pool, host);
const secondsLeft = async (): Promise<number> => (await hostRow(pool, host)).lease_until_ms / 1_000;

describe('taking', () => {
  it('gives it to one, and to nobody else while it lasts', async () => {
    const first = await got();
    expect(first).toMatchObject({
      unclean: false,
      wait_ms: 0,
      slowdown: 0,
      clean: 0,
      failures: 0,
      last_error: null,
    });
    expect(await take()).toBeUndefined();
    expect(await secondsLeft()).toBeGreaterThan(55);
  });

  it('gives it to exactly one of many that ask at once', async () => {
    const asked = await Promise.all(Array.from({ length: 20 }, () => take()));
    expect(asked.filter((lease) => lease !== undefined)).toHaveLength(1);
  });

  it('gives it to exactly one of many after a crash too', async () => {
    await got();
    await expire();
    const asked = await Promise.all(Array.from({ length: 20 }, () => take()));
    expect(asked.filter((lease) => lease !== undefined)).toEqual([
      expect.objectContaining({ unclean: true }),
    ]);
  });

  it('says whether the one before returned it, and never gives a token twice', async () => {
    const first = await got();
    await release(first.token);
    const second = await got();
    expect(second.unclean).toBe(false);
    await expire();
    const third = await got();
    expect(third.unclean).toBe(true);
    expect(new Set([first.token, second.token, third.token]).size).toBe(3);
  });
});

describe('returning', () => {
  const lessons: LessonsRow = {
    ...{ failing: ['ab'], complained: ['ab', 'cd'], well_age_ms: 1_000, outages: 1, outage_age_ms: 60_000 },
    ...{ slowdown: 2, clean: 7, since_complaint: 3, complained_age_ms: 30_000, base_delay_ms: 1_500 },
    revision: 0,
  };

  it('forgets failures of long ago, however many requests have gone well since', async () => {
    // What one failure is worth after some eight thousand requests.
    await changeHost(pool, host, { recent_asked: 92, recent_failed: 1e-38 });
    const { token } = await got();
    const leaving = { waitMs: 0, paceMs: 0, failures: 0, lastError: null, visit: null };
    expect(await releaseLease(pool, host, token, { ...leaving, asked: 2_000, failed: 0 })).toHaveLength(1);
    expect(await hostRow(pool, host)).toMatchObject({ lease_token: null, recent_failed: 0 });
  });

  it('counts the pace from its return, however long the transaction of the return has lasted', async () => {
    const { token, settings_revision: revision } = await got();
    const left = { waitMs: 1_000, paceMs: 1_000, failures: 0, lastError: null };
    const visit = { askedAgoMs: 0, tookMs: null, day: '', used: 0, closedMs: 0, heldMs: 0, revision };
    const returnedAt = await inTransaction(pool, async (db) => {
      await sleep(300);
      const at = Date.now();
      await releaseLease(db, host, token, { ...left, visit });
      return at;
    });
    const { not_before: next, asked_at: asked } = await hostRow(pool, host);
    expect(Number(next)).toBeGreaterThanOrEqual(returnedAt + 1_000);
    expect(Number(next) - Number(asked)).toBe(1_000);
  });

  it('keeps what the host has taught for the next holder', async () => {
    const first = await got();
    await saveLessons(pool, String(host), first.token, JSON.stringify(lessons));
    await releaseLease(pool, host, first.token, {
      waitMs: 600_000,
      paceMs: 0,
      failures: 3,
      lastError: 'overloaded: answered 503',
      visit: null,
    });
    const second = await got();
    expect(second).toMatchObject({
      ...{ slowdown: 2, clean: 7, since_complaint: 3, failing: ['ab'], complained: ['ab', 'cd'], outages: 1 },
      ...{ base_delay_ms: 1_500, complained_age_ms: expect.closeTo(30_000, -4) as number },
      failures: 3,
      last_error: 'overloaded: answered 503',
    });
    expect(second.wait_ms).toBeGreaterThan(590_000);
    expect(second.wait_ms).toBeLessThanOrEqual(600_000);
  });

  it('lets time ease the slowdown up: a doubling in ten minutes', async () => {
    const { token } = await got();
    const row = { ...lessons, complained_age_ms: 15 * 60_000 };
    await saveLessons(pool, String(host), token, JSON.stringify(row));
    await release(token, 0);
    expect(await got()).toMatchObject({
      slowdown: 1,
      complained_age_ms: expect.closeTo(5 * 60_000, -4) as number,
    });
  });

  it('leaves the slowdown alone where an operator has set a delay meanwhile', async () => {
    const { token } = await got();
    await changeSettings(pool, host, { delaySeconds: 3 });
    await saveLessons(pool, String(host), token, JSON.stringify(lessons));
    await release(token, 0);
    expect(await got()).toMatchObject({ slowdown: 0, failing: ['ab'] });
  });

  it('never shortens a wait that somebody else asked for', async () => {
    const { token } = await got();
    await changeHost(pool, host, { not_before: fromNow(3_600) });
    await release(token, 10);
    expect((await got()).wait_ms).toBeGreaterThan(3_590_000);
  });

  it('never shortens the part of a wait that holds for all tenants', async () => {
    const { token } = await got();
    await leaveHostAlone(pool, String(host), token, 60 * minute, 60 * minute);
    const trouble = { waitMs: 0, paceMs: 0, failures: 1, lastError: 'reset', visit: null };
    await releaseLease(pool, host, token, { ...trouble, blamed: { tenantId: 1, forAllMs: 1_000 } });
    const { others_from: from, not_before: until } = await hostRow(pool, host);
    expect(from).toEqual(until);
  });

  it('is as long as the longest pause that the host has asked for, whichever came last', async () => {
    const { token } = await got();
    for (const minutes of [60, 1])
      await leaveHostAlone(pool, String(host), token, minutes * minute, minutes * minute);
    await release(token);
    expect((await got()).wait_ms).toBeGreaterThan(50 * minute);
  });

  it('tells plain pace from trouble: an operator’s retry forgets the one and keeps the other', async () => {
    const { token } = await got();
    await saveLessons(pool, String(host), token, JSON.stringify(lessons));
    await releaseLease(pool, host, token, {
      waitMs: 3_600_000,
      paceMs: 20_000,
      failures: 4,
      lastError: 'overloaded: answered 503',
      visit: null,
    });
    await unparkHost(pool, String(host));
    const next = await got();
    expect(next.wait_ms).toBeGreaterThan(15_000);
    expect(next.wait_ms).toBeLessThanOrEqual(20_000);
    expect(next).toMatchObject({ failures: 0, last_error: null, failing: [], slowdown: 0 });
  });

  it('keeps the host for a fetcher no longer than the host is closed, if settings were changed meanwhile', async () => {
    await changeHost(pool, host, { lend_wanted_until: fromNow(60), fed: true });
    const { token, settings_revision: revision } = await got();
    await changeSettings(pool, host, { delaySeconds: 1 }, null);
    await releaseLease(pool, host, token, {
      ...{ waitMs: 24 * 60 * minute, paceMs: 24 * 60 * minute, failures: 0, lastError: null, sent: 1 },
      visit: { askedAgoMs: 0, tookMs: 1, day: '2026-01-01', used: 1, heldMs: 0, revision, closedMs: 0 },
    });
    const { lend_until: until, lend_until_ms: ms } = await hostRow(pool, host);
    expect(until).not.toBeNull();
    expect(ms).toBeLessThan(minute);
  });

  it.each([
    ['settings are changed', () => changeSettings(pool, host, { delaySeconds: 3 }, null)],
    ['robots.txt is to be read again', async () => askRobots(pool, (await hostRow(pool, host)).origin)],
    ['trouble is forgotten', () => unparkHost(pool, String(host))],
  ])('keeps the host for no fetcher once its %s', async (_, change) => {
    await changeHost(pool, host, { lend_until: fromNow(24 * 3_600) });
    await change();
    expect(await hostRow(pool, host)).toMatchObject({ lend_until: null });
  });

  it('changes nothing where the lease was lost: the new holder knows better', async () => {
    const old = await got();
    await expire();
    const holder = await got();
    expect(
      (
        await releaseLease(pool, host, old.token, {
          waitMs: minute,
          paceMs: minute,
          failures: 9,
          lastError: 'stale',
          visit: null,
        })
      ).length,
    ).toBe(0);
    expect(await take()).toBeUndefined();
    expect(await release(holder.token)).toBe(true);
    expect(await got()).toMatchObject({ slowdown: 0, failures: 0, last_error: null, wait_ms: 0 });
  });

  it('remembers since when the host has been failing, until it does not', async () => {
    const since = async (): Promise<Date | null> => (await hostRow(pool, host)).failing_since;
    const fail = async (failures: number): Promise<Date | null> => {
      await releaseLease(pool, host, (await got()).token, {
        waitMs: 0,
        paceMs: 0,
        failures,
        lastError: null,
        visit: null,
      });
      return since();
    };
    const first = await fail(1);
    expect(first).toBeInstanceOf(Date);
    expect(await fail(2)).toEqual(first);
    expect(await fail(0)).toBeNull();
  });
});

describe('renewing', () => {
  it('prolongs those that are held, in one statement, and names those that are lost', async () => {
    const mine = await takeLease(pool, String(host), 1_000);
    const another = await newHost(pool);
    const lost = await takeLease(pool, String(another), 1_000);
    await changeHost(pool, another, { lease_token: Number(lost[0]?.token) + 1_000_000 });
    const held = [
      { id: host, token: mine[0]?.token },
      { id: another, token: lost[0]?.token },
    ];
    expect(await renewLeases(pool, JSON.stringify(held), minute)).toEqual([
      { token: lost[0]?.token, lost: true },
    ]);
    expect(await secondsLeft()).toBeGreaterThan(55);
  });

  it('does not bring back one that was returned', async () => {
    const { token } = await got();
    await release(token);
    const answer = await renewLeases(pool, JSON.stringify([{ id: host, token }]), minute);
    expect(answer).toEqual([{ token, lost: true }]);
    expect(await hostRow(pool, host)).toMatchObject({ lease_until: null });
  });

  it('brings back one that ran out as long as nobody took it', async () => {
    const { token } = await got();
    await expire();
    expect(await renewLeases(pool, JSON.stringify([{ id: host, token }]), minute)).toEqual([]);
    expect(await take()).toBeUndefined();
  });
});

describe('a visit that must end', () => {
  const isCut = async (token: number): Promise<boolean> =>
    (await cutLeases(pool)).some((cut) => cut.token === token);

  it.each<[string, () => Promise<unknown>]>([
    ['it is cut', () => cutVisit(pool, String(host))],
    ['the settings of the host are changed', () => changeSettings(pool, host, { delaySeconds: 3 }, null)],
    ['its robots.txt is to be read again', async () => askRobots(pool, (await hostRow(pool, host)).origin)],
  ])('is named where %s, until the lease is returned', async (_, end) => {
    await end();
    const { token } = await got();
    expect(await isCut(token)).toBe(false);
    await end();
    expect(await isCut(token)).toBe(true);
    await release(token);
    // Otherwise the index of cuts would keep the host.
    expect(await hostRow(pool, host)).toMatchObject({ cut_token: null });
  });

  it('is named no longer once another process has the lease', async () => {
    const { token } = await got();
    await cutVisit(pool, String(host));
    await expire();
    const next = await got();
    expect([await isCut(token), await isCut(next.token)]).toEqual([false, false]);
  });
});

describe('the holder of a lease is told whether somebody waits for the host', () => {
  const [served, other] = ['served', 'other'] as const;
  interface Case {
    /** URLs queued at the host, by the crawl that they are of. */
    readonly queued?: readonly (typeof served | typeof other)[];
    /** Null: the visit serves no crawl, and has no work that it could leave to others. */
    readonly serves?: readonly (typeof served | typeof other)[] | null;
    /** The state of the crawl that the visit does not serve. */
    readonly state?: CrawlState;
    /** Its URL is taken meanwhile. */
    readonly taken?: boolean;
    readonly host?: HostColumns;
  }
  const soon = fromNow(60);

  it.each<[string, boolean | 'after its turn', Case]>([
    ['nobody but the crawl that is served', false, { queued: [served] }],
    ['a crawl that is not served', true, { queued: [served, other] }],
    ['a crawl of several that are served', false, { queued: [served, other], serves: [served, other] }],
    ['a crawl, where the visit serves none', true, { queued: [other], serves: [] }],
    ['a crawl, but the visit is none for crawls', false, { queued: [other], serves: null }],
    ['a crawl that is paused', false, { queued: [other], state: 'paused' }],
    ['a crawl that takes its seeds in', false, { queued: [other], state: 'seeding' }],
    ['a crawl that is over', false, { queued: [other], state: 'cancelled' }],
    ['a crawl with nothing queued here', false, { queued: [other], taken: true }],
    ['somebody who wants the place', true, { queued: [served], host: { yield_at: fromNow() } }],
    ['the same, but the visit is none for crawls', false, { serves: null, host: { yield_at: fromNow() } }],
    ['a guest', true, { host: { guest_until: soon } }],
    ['a guest, in a visit that is none for crawls', true, { serves: null, host: { guest_until: soon } }],
    ['a guest whose time is over', false, { host: { guest_until: fromNow(-1) } }],
    ['a foreign fetcher', true, { host: { lend_until: soon } }],
    ['a foreign fetcher, in a visit that is none for crawls', true, { serves: null, host: { lend_until: soon } }],
    ['a foreign fetcher whose time is over', false, { host: { lend_until: fromNow(-1) } }],
    ['a foreign fetcher that wants it', 'after its turn', { host: { lend_wanted_until: soon } }],
    ['a foreign fetcher that wanted it', false, { host: { lend_wanted_until: fromNow(-1) } }],
    ['a foreign fetcher and a guest', true, { host: { lend_wanted_until: soon, guest_until: soon } }],
  ])('%s: %s', async (_, waits, { queued = [], serves = [served], state, taken = false, host: columns }) => {
    const ids = { served: await runningCrawl(pool), other: await runningCrawl(pool) };
    const { origin } = await hostRow(pool, host);
    for (const crawl of queued)
      await addUrl(pool, ids[crawl], `${origin}/`, taken ? { state: 'leased', lease_token: 1 } : {});
    if (state !== undefined) await setState(pool, ids.other, state, null);
    const { token } = await got();
    if (columns !== undefined) await changeHost(pool, host, columns);
    const crawls = serves?.map((crawl) => ids[crawl]) ?? null;
    const held = JSON.stringify([{ id: host, token, crawls }]);
    expect(await renewLeases(pool, held, minute)).toEqual(
      waits === false ? [] : [{ token, lost: waits === true ? false : null }],
    );
  }); // prettier-ignore
});

it('is lent on only while it is held: a loan under a lease that has gone to somebody else is none', async () => {
  const { pool: db } = frontier;
  const crawl = await runningCrawl(db);
  const url = `${(await hostRow(db, host)).origin}/lent`;
  const { key } = await addUrl(db, crawl, url);
  const { token } = await got();
  const lend = (under: number) => {
    const loan = { host_id: host, crawl_id: crawl, key: key.toString('hex'), url, token: under };
    return handOutUrls(db, randomUUID(), 1, 'a fetcher', minute, JSON.stringify([loan]));
  };
  expect(await lend(token - 1)).toEqual([]);
  expect(await lend(token)).toEqual([{ token }]);
});

describe('a guest (a robots.txt that redirects here)', () => {
  it('is announced to the holder, and goes before the host’s own next slice', async () => {
    const { token } = await got();
    await askGuestLease(pool, host, minute);
    expect(await takeAsGuest()).toBeUndefined();
    const renewed = await renewLeases(pool, JSON.stringify([{ id: host, token }]), minute);
    expect(renewed).toEqual([{ token, lost: false }]);
    await release(token, 60_000);
    expect(await take()).toBeUndefined();
    const guest = await takeAsGuest();
    expect(guest?.unclean).toBe(false);
    expect(guest?.wait_ms).toBeGreaterThan(50_000);
    expect(await take()).toBeUndefined();
    expect(await release(guest?.token ?? 0)).toBe(true);
  });

  it('holds the host up no longer than it asked for, whether it comes or not', async () => {
    await askGuestLease(pool, host, 1);
    await expect.poll(() => take()).toBeDefined();
  });

  it('is one of several, each in its turn', async () => {
    await askGuestLease(pool, host, minute);
    const asked = await Promise.all(Array.from({ length: 5 }, takeAsGuest));
    const [first, ...others] = asked.filter((lease) => lease !== undefined);
    expect(others).toEqual([]);
    await release(first?.token ?? 0);
    // The others' asking is not over because one has come.
    expect(await take()).toBeUndefined();
    expect(await takeAsGuest()).toBeDefined();
  });

  it('is told when the lease before it was not returned', async () => {
    await got();
    await expire();
    expect(await takeAsGuest()).toMatchObject({ unclean: true });
  });
});
