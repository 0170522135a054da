/** How a crawl's state changes, drains and ends in Postgres, whoever comes late (docs/design.md, "Crash safety"). */
import { describe, expect, it } from 'vitest';
import { createCrawlActivities } from '../../../activities/crawls.ts';
import type { ControlActivities } from '../../../contracts/activities.ts';
import type { NumberedStands } from '../../../domain/crawl-life.ts';
import { changeCrawlState, crawlStandsAt, drainCrawl, settleCrawl } from '../../../engine/crawls/life.ts';
import { asActivity } from '../../support/activity.ts';
import {
  changeCrawl,
  crawlState,
  holdCrawl,
  hostParked,
  setState,
  tables,
  urlLines,
} from '../../support/database/index.ts';
import { expectExact, moveCrawl } from '../storage/frontier.ts';
import { withFetching } from './fetching.ts';

const fetching = withFetching();
const { pool } = fetching;

/** Temporal is told nothing: what is looked at here stands in Postgres. */
const nobody = { signalWithStart: () => Promise.resolve() } as never;
const activities = (): Pick<ControlActivities, 'lookAtCrawl' | 'settleCrawl' | 'watchCrawl'> =>
  createCrawlActivities(fetching.dependencies(), nobody);

const asked = { state: 'paused', cause: 'asked', reason: null } as const;
const goingOn = { state: 'running', cause: null, reason: null } as const;

it('a crawl that ends while URLs wait at hosts that nobody asks says so', async () => {
  const crawl = await fetching.crawl({}, []);
  const host = await fetching.host('https://left.example');
  await fetching.queue(crawl, host, '/done', '/a', '/b');
  await tables.url.change(pool, { url: 'https://left.example/done' }, { state: 'done', status: 200 });
  await hostParked(pool, host.origin);
  const { revision } = await crawlStandsAt(pool, String(crawl));
  expect(await settleCrawl(pool, String(crawl), 'complete', 'complete', revision)).toMatchObject({
    ...{ state: 'finished', cause: 'complete' },
    reason: 'complete, but for 2 URLs that wait at hosts that are parked or have logged the crawl out',
  });
});

describe('a process that was frozen when it was to change a crawl', () => {
  /** A crawl that was paused when the process was asked to resume it; others resumed it, and paused it again. */
  async function overtaken(): Promise<{ id: string; late: number; stands: NumberedStands }> {
    const id = String(await fetching.crawl());
    await moveCrawl(pool, Number(id), 'paused');
    const { revision: late } = await crawlStandsAt(pool, id);
    const resume = { ...goingOn, revision: late };
    const resumed = await changeCrawlState(pool, id, resume);
    expect(resumed).toEqual({ ...goingOn, revision: late + 1 });
    // Its answer was lost: Temporal tries it again.
    expect(await changeCrawlState(pool, id, resume)).toEqual(resumed);
    const stands = await changeCrawlState(pool, id, { ...asked, revision: resumed.revision });
    expect(stands).toEqual({ ...asked, revision: late + 2 });
    return { id, late, stands };
  }

  it('leaves its state as others have put it since', async () => {
    const { id, late, stands } = await overtaken();
    expect(await changeCrawlState(pool, id, { ...goingOn, revision: late })).toEqual(stands);
    expect(await crawlStandsAt(pool, id)).toEqual(stands);
  });

  it('does not end it', async () => {
    const { id, late, stands } = await overtaken();
    const settle = (revision: number): Promise<NumberedStands> =>
      settleCrawl(pool, id, 'cancelled', 'enough', revision);
    expect(await settle(late)).toEqual({ ...goingOn, revision: stands.revision });
    expect(await crawlStandsAt(pool, id)).toEqual(stands);
    const ended = await settle(stands.revision);
    expect(ended).toMatchObject({ state: 'cancelled', reason: 'enough' });
    expect(await settle(late)).toEqual(ended);
  });

  it('excludes nothing of it', async () => {
    const crawl = await fetching.crawl();
    await fetching.queue(crawl, await fetching.host('https://drained.example'), '/a', '/b');
    const signal = AbortSignal.timeout(60_000);
    for (const state of ['running', 'paused', 'finished'] as const) {
      await setState(pool, crawl, state);
      await drainCrawl(pool, String(crawl), 'enough', signal);
      expect(await expectExact(pool, crawl)).toMatchObject({ queued: 2, excluded: 0 });
    }
    await setState(pool, crawl, 'draining');
    await drainCrawl(pool, String(crawl), 'enough', signal);
    expect(await urlLines(pool, { crawl_id: crawl }, 'state', 'reason', 'detail')).toEqual(
      ['/a', '/b'].map((path) => `https://drained.example${path} excluded crawl-limit enough`),
    );
  });
});

it('a workflow that began before states had numbers learns them from the answer', async () => {
  const id = String(await fetching.crawl());
  const old = asked as unknown as NumberedStands;
  const told = await changeCrawlState(pool, id, old);
  expect(told).toEqual(await crawlStandsAt(pool, id));
  expect(told.state).toBe('running');
  expect(await changeCrawlState(pool, id, { ...asked, revision: told.revision })).toMatchObject(asked);
});

describe('a crawl that ends', () => {
  it('tells Temporal that it is at work, however long its pages are compared', async () => {
    const crawl = await fetching.crawl();
    await changeCrawl(pool, crawl, { seeded_line: 1 });
    const { lookAtCrawl, settleCrawl: settle } = activities();
    const crawlId = String(crawl);
    const { revision } = await asActivity(() => lookAtCrawl({ crawlId }));
    const held = await holdCrawl(pool, crawl);
    const beat = Promise.withResolvers<undefined>();
    const heartbeat = (): void => {
      beat.resolve(undefined);
    };
    const settled = asActivity(() => settle({ crawlId, ending: 'cancelled', reason: 'enough', revision }), {
      heartbeat,
    });
    await beat.promise;
    await held.release();
    expect(await settled).toMatchObject({ state: 'cancelled', reason: 'enough' });
  });

  it('stays over, though a job that was late has set its workflow going once more', async () => {
    const crawl = await fetching.crawl();
    await setState(pool, crawl, 'cancelled', 'enough');
    await changeCrawl(pool, crawl, { seeded_line: 1 });
    const { lookAtCrawl, settleCrawl: settle, watchCrawl } = activities();
    const crawlId = String(crawl);
    expect(await asActivity(() => watchCrawl({ crawlId, watchMs: 500 }))).toEqual({ verdict: 'moved' });
    const { revision } = await asActivity(() => lookAtCrawl({ crawlId }));
    expect(
      await asActivity(() => settle({ crawlId, ending: 'complete', reason: 'complete', revision })),
    ).toMatchObject({ state: 'cancelled', reason: 'enough' });
    expect(await crawlState(pool, crawl)).toBe('cancelled');
  });
});
