/**
 * A scheduleState crawl at Temporal Web: an operator presses the buttons of its Schedule in a browser, and the crawl obeys.
 *
 * @module-tag deep
 */
import { jobWorkflowId } from '../../contracts/jobs.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { cancelCrawlUpdate, crawlWorkflowId } from '../../contracts/workflows.ts';
import { defaultKeepFresh, lookSeconds } from '../../domain/recrawl/keep-fresh.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { page, startSite } from '../integration/activities/site.ts';
import { withDesk } from '../support/crawling.ts';
import { tables } from '../support/database/index.ts';
import { hasChromium, openTemporalWeb, type TemporalWeb } from '../support/temporal-web.ts';
import { until } from '../support/until.ts';
import { makeBlobDir, withWorker } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';

describe.skipIf(!hasChromium())(
  'the Schedule of a scheduleState crawl in Temporal Web (needs chromium)',
  () => {
    const world = withWorld();
    const desk = withDesk(world);
    withWorker(world, { blobDir: makeBlobDir() });
    let desktop: TemporalWeb;
    beforeAll(async () => {
      desktop = await openTemporalWeb(inject('stack').temporalUiUrl ?? '', world.namespace);
    });
    afterAll(async () => {
      await desktop.close();
    });

    it('is paused, triggered, backfilled and let go on by its buttons', async () => {
      const site = await startSite({ '/': page('Home') });
      const soon = { floorSeconds: 1, ceilingSeconds: 1 };
      const keepFresh = {
        ...defaultKeepFresh,
        requestsPerDay: 1_000_000,
        intervals: { news: soon, generic: soon, dormant: soon },
      };
      const id = await desk.start([`${site.origin}/`], { delaySeconds: 0, keepFresh });
      const fetches = (): number => site.paths().filter((path) => path === '/').length;
      const schedule = desk.client.schedule.getHandle(jobWorkflowId('recrawl', id));
      const scheduleState = async () => (await schedule.describe()).state;
      /** What is queued is fetched, and nothing is under way. */
      const isQuiet = async (): Promise<boolean> => {
        const { info } = await schedule.describe();
        const [{ state } = { state: '' }] = await tables.url.rows(desk.pool, { crawl_id: id });
        return info.runningActions.length === 0 && state === 'done';
      };
      await until('the page is fetched a second time, by the clock', () => fetches() >= 2);

      const buttons = await desktop.openSchedule(jobWorkflowId('recrawl', id));
      await buttons.turn('Pause', 'the site is being moved');
      expect(await scheduleState()).toMatchObject({ paused: true, note: 'the site is being moved' });
      await until('the last run is over', isQuiet);
      const paused = fetches();
      await delay(1_200 * lookSeconds(keepFresh));
      expect(fetches()).toBe(paused);

      await buttons.trigger();
      await until('a run that was triggered has the page fetched', () => fetches() > paused);
      expect(await scheduleState()).toMatchObject({ paused: true });
      await until('that run is over', isQuiet);

      const triggered = { fetches: fetches(), runs: (await schedule.describe()).info.numActionsTaken };
      await buttons.backfill();
      await until('a run of the hour that was made up for has the page fetched', async () => {
        const { info } = await schedule.describe();
        return fetches() > triggered.fetches && info.numActionsTaken > triggered.runs;
      });
      expect(await scheduleState()).toMatchObject({ paused: true });

      await buttons.turn('Unpause', 'it has moved');
      expect(await scheduleState()).toMatchObject({ paused: false, note: 'it has moved' });
      const resumed = fetches();
      await until('it goes on by the clock', () => fetches() > resumed + 1);
      await desk.client.workflow
        .getHandle(crawlWorkflowId(id))
        .executeUpdate(cancelCrawlUpdate, { args: [null] });
      expect(await desk.ended(id)).toMatchObject({ state: 'cancelled' });
      expect((await auditCrawl(desk.pool, id))?.differences).toEqual([]);
    });
  },
);
