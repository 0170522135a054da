/**
 * Places among the hosts that are worked: one who comes late gets a share of them, whoever holds them all.
 *
 * @module-tag deep
 */
import { expect, it } from 'vitest';
import { auditCrawl } from '../../storage/reports/index.ts';
import { withDesk } from '../support/crawling.ts';
import { addTenant, tables } from '../support/database/index.ts';
import { makeBlobDir, withWorker } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { expectedOf } from '../web/expected.ts';
import { complaints, judge } from '../web/judge.ts';
import { startWeb, type Web } from '../web/server.ts';
import { until } from '../support/until.ts';

const places = 4;
const pagesOfMany = 45;

const world = withWorld();
const desk = withDesk(world);
withWorker(world, { blobDir: makeBlobDir(), activeHosts: places, sliceSeconds: 1 });

const pagesOf = (web: Web) => web.log().filter(({ url }) => !url.endsWith('/robots.txt'));

it('a second tenant’s crawl gets half of the places while every host of the first has pages left, and nothing is lost or sent too soon', async () => {
  const [many, late] = await Promise.all([
    startWeb({ seed: 21, hosts: 5, pages: pagesOfMany, crossShare: 0 }),
    startWeb({ seed: 22, hosts: 4, pages: 12, crossShare: 0 }),
  ]);
  try {
    const config = { scope: 'host', delaySeconds: 0.2 } as const;
    const first = await desk.start(many.seeds, config);
    const held = (crawl: string, count: number): Promise<void> =>
      until(
        'places are shared',
        async () => (await tables.host.count(desk.pool, { fed: true, fed_for: crawl })) === count,
      );
    await held(first, places);

    const second = await desk.start(late.seeds, config, await addTenant(desk.pool, 'late'));
    await held(second, places / 2);
    await held(first, places / 2);

    const ended = await Promise.all([first, second].map((id) => desk.ended(id)));
    expect(ended.map(({ state, reason }) => `${state}: ${reason}`)).toEqual(
      Array(2).fill('finished: complete'),
    );
    const begun = pagesOf(late)[0]?.start ?? Infinity;
    const before = Map.groupBy(
      pagesOf(many).filter(({ start }) => start < begun),
      ({ host }) => host,
    );
    // It waited for none to be done.
    expect(before.size).toBe(places);
    for (const asked of before.values()) expect(asked.length).toBeLessThan(pagesOfMany);
    for (const [web, id] of [
      [many, first],
      [late, second],
    ] as const) {
      const verdict = judge(web.log(), { delayMs: 200, expected: expectedOf(web.plan) });
      expect(complaints(verdict)).toEqual([]);
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    }
  } finally {
    await Promise.all([many.stop(), late.stop()]);
  }
});
