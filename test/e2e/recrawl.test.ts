/**
 * A standing crawl on the real stack: its Schedule runs it, and obeys what the buttons of Temporal Web call.
 *
 * @module-tag deep
 */
import { jobWorkflowId } from '../../contracts/jobs.ts';
import { ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { expect, it } from 'vitest';
import { cancelCrawlUpdate, crawlWorkflowId } from '../../contracts/workflows.ts';
import { defaultKeepFresh } from '../../domain/recrawl/keep-fresh.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { page, startSite } from '../integration/activities/site.ts';
import { withDesk } from '../support/crawling.ts';
import { tables } from '../support/database/index.ts';
import { until } from '../support/until.ts';
import { makeBlobDir, withWorker } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';

const world = withWorld();
const desk = withDesk(world);
withWorker(world, { blobDir: makeBlobDir() });

/** A page is due a second after its visit. */
const soon = { floorSeconds: 1, ceilingSeconds: 1 };

it('fetches its pages again and again, pauses, is triggered and backfilled, and ends with its schedule', async () => {
  const site = await startSite({ '/': page('Home') });
  const { pool, client } = desk;
  const id = await desk.start([`${site.origin}/`], {
    delaySeconds: 0,
    keepFresh: {
      ...defaultKeepFresh,
      requestsPerDay: 1_000_000,
      intervals: { news: soon, generic: soon, dormant: soon },
    },
  });
  const fetches = async (): Promise<number> =>
    (await tables.url.rows(pool, { crawl_id: id })).reduce((sum, url) => sum + url.fetches, 0);
  const schedule = client.schedule.getHandle(jobWorkflowId('recrawl', id));
  const found = async (): Promise<boolean> => {
    try {
      await schedule.describe();
      return true;
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return false;
      throw error;
    }
  };

  await until('the patrol makes the schedule', found);
  await until('the page is fetched a second time, by the clock', async () => (await fetches()) >= 2);

  await schedule.pause('the site is being moved');
  expect((await schedule.describe()).state).toMatchObject({ paused: true, note: 'the site is being moved' });
  const before = (await schedule.describe()).info.numActionsTaken;
  const fetched = await fetches();
  await until('a run that was triggered queues the page', async () => {
    await schedule.trigger(ScheduleOverlapPolicy.SKIP);
    return (await fetches()) > fetched;
  });
  expect((await schedule.describe()).state.paused).toBe(true);
  const end = new Date();
  await schedule.backfill({
    start: new Date(end.getTime() - 60_000),
    end,
    overlap: ScheduleOverlapPolicy.BUFFER_ALL,
  });
  await until(
    'runs of the past minute are made up for',
    async () => (await schedule.describe()).info.numActionsTaken >= before + 5,
  );
  await schedule.unpause();

  // A schedule that somebody deleted is made anew.
  await schedule.delete();
  await until('the patrol mends the schedule', found);

  expect((await tables.crawl.row(pool, { id })).state).toBe('running');
  await client.workflow.getHandle(crawlWorkflowId(id)).executeUpdate(cancelCrawlUpdate, { args: [null] });
  expect(await desk.ended(id)).toMatchObject({ state: 'cancelled' });
  await until('the schedule goes with the crawl', async () => !(await found()));
  await until(
    'and its row after it',
    async () => (await tables.standing.count(pool, { crawl_id: id })) === 0,
  );
  expect((await auditCrawl(pool, id))?.differences).toEqual([]);
});
