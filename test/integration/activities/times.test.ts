/** Where the time of visits goes, in Postgres (G14). */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { timeCauseNames, type TimeCause } from '../../../domain/time-lost.ts';
import { changeCrawlState, closeAccounts, crawlStandsAt } from '../../../engine/crawls/life.ts';
import { forgetWorker, noteOutages, noteWorker } from '../../../storage/instance/index.ts';
import { timeOf } from '../../../storage/reports/index.ts';
import { changeHost, fromNow, setState, tables } from '../../support/database/index.ts';
import { expectExplained } from '../../support/explained.ts';
import { withFetching } from './fetching.ts';
import { page, slowly, startSite } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

async function spent(crawl: number): Promise<Partial<Record<TimeCause, number>>> {
  const time = await timeOf(pool, String(crawl), new Date());
  if (time !== null) expectExplained(time);
  return Object.fromEntries((time?.causes ?? []).map(({ cause, seconds }) => [cause, seconds]));
}
const accounts = (crawl: number) => tables.time.rows(pool, { crawl_id: crawl });
/** URLs of the crawl have been due for so many seconds. */
async function workedSince(crawl: number, seconds: number): Promise<void> {
  await tables.queue.change(pool, { crawl_id: crawl }, { work_at: fromNow(-seconds) });
  await tables.url.change(pool, { crawl_id: crawl }, { due_at: fromNow(-seconds) });
}
/** Began to run that long ago. */
const longAgo = (crawl: number) => tables.crawl.change(pool, { id: crawl }, { started_at: fromNow(-90_000) });

describe('the time of a visit', () => {
  it('is counted once for each crawl that shares the host, and ends with the work', async () => {
    const site = await startSite({ '/mine': slowly(400, page('a')), '/yours': slowly(200, page('b')) });
    const host = await fetching.host(site.origin);
    const [mine, yours] = [await fetching.crawl(), await fetching.crawl()];
    await fetching.queue(mine, host, '/mine');
    await fetching.queue(yours, host, '/yours');
    await fetching.role().fetchSlice(host);
    const [ofMine, ofYours] = [await spent(mine), await spent(yours)];
    expect(ofMine.answering).toBeGreaterThan(0.39);
    expect(ofMine.others).toBeGreaterThan(0.19);
    expect(ofYours.answering).toBeGreaterThan(0.19);
    expect(ofYours.others).toBeGreaterThan(0.39);
    expect(ofMine.robots_txt).toBeGreaterThan(0);
    // Nothing is left to do: no further time passes.
    expect(await spent(mine)).toEqual(ofMine);
  });

  it('is for the reader while fetched pages wait to be read', async () => {
    const { site, host, crawl } = await fetching.site(['/']);
    // Nobody reads here: the visit waits for links until its time is over.
    const reading = new AbortController();
    const slice = fetching.role({ lingerMs: 1_000, sliceMs: 60_000 }).fetchSlice(host, reading.signal);
    await expect.poll(async () => (await fetching.urls(crawl, site.origin))['/']?.stage).toBe(1);
    const storedAt = performance.now();
    await expect.poll(() => performance.now() - storedAt).toBeGreaterThan(2_500);
    reading.abort();
    await slice;
    expect((await spent(crawl)).reading).toBeGreaterThan(1.5);
  });

  it('begins where the account ends, with what the row of the host says was waited for', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    const crawl = await fetching.crawl();
    await longAgo(crawl);
    await fetching.queue(crawl, host, '/a');
    await workedSince(crawl, 1_000);
    await changeHost(pool, site.origin, {
      ...{
        paced_until: fromNow(-900),
        not_before: fromNow(-600),
        failures: 1,
        last_error: 'overloaded: 503',
      },
      ...{ closed_until: fromNow(-500), fed: true, fed_at: fromNow(-200) },
    });
    // It says so before anybody visits the host, and says the same afterwards.
    const waits = { retry_after: 400, windows: 100, place: 300, slot: 200 } as const;
    const expectWaits = async (): Promise<void> => {
      const now = await spent(crawl);
      for (const [cause, seconds] of Object.entries(waits)) {
        expect({ cause, seconds: now[cause as TimeCause] ?? 0 }).toSatisfy(
          (each: { seconds: number }) => each.seconds >= seconds - 1 && each.seconds < seconds + 60,
        );
      }
    };
    await expectWaits();
    expect(await accounts(crawl)).toEqual([]);
    await fetching.role().fetchSlice(host);
    await expectWaits();
    expect(await accounts(crawl)).toHaveLength(1);
  });

  it('is for an outage from its beginning to its end, before and after the visit that ends the wait', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    const crawl = await fetching.crawl();
    await longAgo(crawl);
    await fetching.queue(crawl, host, '/a');
    await workedSince(crawl, 1_000);
    await changeHost(pool, site.origin, { fed: true, fed_at: fromNow(-900) });
    const worker = randomUUID();
    const told = (over: boolean, seenAgo: number) =>
      noteOutages(
        pool,
        worker,
        JSON.stringify([{ dependency: 'blobs', since_ago: 700_000, seen_ago: seenAgo, over, why: 'ENOSPC' }]),
      );
    const expectWaits = async (waits: Partial<Record<TimeCause, number>>): Promise<void> => {
      const now = await spent(crawl);
      for (const [cause, seconds] of Object.entries(waits))
        expect([cause, Math.abs((now[cause as TimeCause] ?? 0) - seconds) < 60]).toEqual([cause, true]);
    };
    await told(false, 0);
    await expectWaits({ place: 100, slot: 200, outage: 700 });
    // Its process has died: nobody knows how it went on.
    await told(false, 600_000);
    await tables.queue.change(pool, { crawl_id: crawl }, { work_at: fromNow(-800) });
    await changeHost(pool, site.origin, { fed_at: fromNow(-250) });
    await expectWaits({ place: 450, slot: 250, outage: 100 });
    await told(true, 300_000);
    await expectWaits({ place: 150, slot: 250, outage: 400 });
    await fetching.role().fetchSlice(host);
    await expectWaits({ place: 150, slot: 250, outage: 400 });
    await tables.outage.remove(pool);
  });

  it.each(['kill -9', 'order'])('is an outage’s while no worker was at work: down by %s', async (by) => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    const crawl = await fetching.crawl();
    await longAgo(crawl);
    await fetching.queue(crawl, host, '/a');
    await workedSince(crawl, 1_000);
    await changeHost(pool, site.origin, { fed: false, fed_at: null });
    const [before, next] = [randomUUID(), randomUUID()];
    await noteWorker(pool, before, ['control', 'fetch'], null);
    if (by === 'order') {
      await forgetWorker(pool, before);
      await tables.outage.change(pool, { worker: before }, { since: fromNow(-700), seen_at: fromNow(-700) });
    } else await tables.worker.change(pool, { id: before }, { seen_at: fromNow(-700) });
    // It can tell nothing of fetching.
    await noteWorker(pool, randomUUID(), ['extract'], null);
    await noteWorker(pool, next, ['fetch'], null);
    // Later notes leave it as it is.
    await noteWorker(pool, next, ['fetch'], null);
    const { place = 0, outage = 0 } = await spent(crawl);
    expect([Math.abs(place - 300) < 60, Math.abs(outage - 700) < 60]).toEqual([true, true]);
    await tables.outage.remove(pool);
    await tables.worker.remove(pool);
  });

  it('is not explained by a wait for a worker that no queue of ours makes so long', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    const crawl = await fetching.crawl();
    await longAgo(crawl);
    await fetching.queue(crawl, host, '/a');
    await workedSince(crawl, 1_000);
    await changeHost(pool, site.origin, { fed: true, fed_at: fromNow(-900) });
    const time = await timeOf(pool, String(crawl), new Date());
    const [first] = time?.causes ?? [];
    expect(first).toMatchObject({ cause: 'unexplained', blame: 'ours' });
    expect(first?.seconds).toBeGreaterThan(599);
  });

  it('is a fault of ours where a visit was lost, and is not counted twice', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    const crawl = await fetching.crawl();
    await longAgo(crawl);
    await fetching.queue(crawl, host, '/a');
    await workedSince(crawl, 500);
    await changeHost(pool, site.origin, {
      ...{ fed: true, fed_at: fromNow(-400), lease_token: 1, lease_until: fromNow(-100) },
    });
    await fetching.role().fetchSlice(host);
    const now = await spent(crawl);
    expect(now.fault).toBeGreaterThan(399);
    const [row] = await accounts(crawl);
    const whole = timeCauseNames.reduce((sum, cause) => sum + (row?.[cause] ?? 0), 0);
    expect(whole).toBeLessThan(560);
  });

  it('does not go on while the crawl is paused or over', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    const crawl = await fetching.crawl();
    await longAgo(crawl);
    await fetching.queue(crawl, host, '/a');
    await workedSince(crawl, 1_000);
    const pause = async (): Promise<void> => {
      const { revision } = await crawlStandsAt(pool, String(crawl));
      const paused = { state: 'paused', cause: 'asked', reason: null, revision } as const;
      await changeCrawlState(pool, String(crawl), paused);
    };
    await pause();
    await closeAccounts(pool, String(crawl));
    // An hour later it is paused again, by somebody who did not know; and then it goes on.
    await tables.crawl.change(pool, { id: crawl }, { rests_since: fromNow(-400) });
    const paused = await spent(crawl);
    expect(paused.place).toBeGreaterThan(999);
    await pause();
    await closeAccounts(pool, String(crawl));
    expect(await spent(crawl)).toEqual(paused);
    await setState(pool, String(crawl), 'running', null);
    expect((await spent(crawl)).place).toBeLessThan((paused.place ?? 0) + 60);
  });
});
