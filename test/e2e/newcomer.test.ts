/**
 * A newcomer’s first page beside a large crawl: places that are given ahead stand before it, so few are.
 *
 * @module-tag deep
 */
import { expect, it } from 'vitest';
import { auditCrawl } from '../../storage/reports/index.ts';
import { withDesk } from '../support/crawling.ts';
import { addTenant } from '../support/database/index.ts';
import { makeBlobDir, withWorker } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { startWeb, type Web } from '../web/server.ts';
import { until } from '../support/until.ts';

const hosts = 1_500;
const asked = (web: Web): Set<string> =>
  new Set(
    web
      .log()
      .filter(({ url }) => !url.endsWith('/robots.txt'))
      .map(({ host }) => host),
  );

const world = withWorld();
const desk = withDesk(world);
withWorker(world, { blobDir: makeBlobDir() });

it('comes before most of the hosts that waited for their first one', async () => {
  const plain = { pages: 1, crossShare: 0, misfits: [] } as const;
  const [many, late] = await Promise.all([
    startWeb({ ...plain, seed: 31, hosts }),
    startWeb({ ...plain, seed: 32, hosts: 1 }),
  ]);
  try {
    const config = { scope: 'host', delaySeconds: 1 } as const;
    const first = await desk.start(many.seeds, config);
    await until('the large crawl is under way', () => Promise.resolve(asked(many).size >= 20));

    const second = await desk.start(late.seeds, config, await addTenant(desk.pool, 'late'));
    const before = asked(many).size;
    await until('the newcomer has a page', () => Promise.resolve(asked(late).size > 0));
    const meanwhile = asked(many).size - before;
    // Where places go to whoever has most, it comes after all of them.
    expect(meanwhile).toBeLessThan((hosts - before) / 2);

    const ended = await Promise.all([first, second].map((id) => desk.ended(id)));
    expect(ended.map(({ state, reason }) => `${state}: ${reason}`)).toEqual(
      Array(2).fill('finished: complete'),
    );
    for (const id of [first, second]) {
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    }
  } finally {
    await Promise.all([many.stop(), late.stop()]);
  }
});
