/** The quarantine at work: what it keeps back, lets through and gives back, before a real database and a real site. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { shapesOf } from '../../../domain/traps/shape.ts';
import { printText } from '../../../domain/traps/text.ts';
import type { Observation } from '../../../domain/traps/watch.ts';
import {
  addWatched,
  giveVerdict,
  holdShape,
  sweepRelease,
  tendQuarantine,
} from '../../../storage/traps/index.ts';
import { fromNow, tables } from '../../support/database/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { openFetching, type Fetching } from './fetching.ts';
import { page, startSite } from './site.ts';

let fetching: Fetching;
beforeAll(async () => {
  fetching = await openFetching();
});
afterAll(() => fetching.close());

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `/c/${String(at)}`);
const shape = '/c/{n}';

/** A page of the shape with words of its own, that brings nothing. */
const novel = (at: number): Observation => {
  const path = `/c/${String(at)}`;
  const text = Array.from({ length: 40 }, (_, word) => `w${((at * 97 + word) * 104_729).toString(36)}x`).join(
    ' ',
  );
  const print = printText(text, path);
  return {
    ...{ shapes: shapesOf(path), print, body: 0, links: 0 },
    ...{ fresh: {}, freshLinks: 0, crowd: null },
  };
};

async function heldCrawl(urls: number): Promise<{
  readonly crawl: number;
  readonly id: string;
  readonly host: { readonly hostId: string; readonly origin: string };
  readonly asked: () => string[];
  /** A worker visits the host; one that was started now has no older copy of the verdicts. */
  readonly visit: () => Promise<unknown>;
  readonly states: () => Promise<Record<string, number>>;
}> {
  const site = await startSite();
  site.answers = Object.fromEntries(numbered(urls).map((path) => [path, page(path)]));
  const host = await fetching.host(site.origin);
  const crawl = await fetching.crawl({ scope: 'host' }, [`${site.origin}/c/0`]);
  await fetching.queue(crawl, host, ...numbered(urls), '/about.html');
  const [row] = await holdShape(fetching.pool, String(crawl), host.hostId, shape, 'key 1', 3_600);
  return {
    ...{ crawl, host, id: row?.id ?? '' },
    asked: () => site.paths().filter((path) => path.startsWith('/c/')),
    visit: () => fetching.role().fetchSlice(host),
    states: async () => {
      const rows = await tables.url.rows(fetching.pool, { crawl_id: crawl });
      const named = rows.map(({ state, reason }) => `${state} ${reason ?? ''}`.trim());
      return Object.fromEntries(
        [...Map.groupBy(named, (name) => name)].map(([name, all]) => [name, all.length]),
      );
    },
  };
}

it('excludes what was queued before, on its turn and without a request, and explains it', async () => {
  const { crawl, id, host, asked, visit, states } = await heldCrawl(12);
  await visit();
  expect(asked()).toEqual([]);
  expect(await states()).toEqual({ 'excluded trap': 12, 'done fetched': 1 });
  await expectExact(fetching.pool, crawl);
  const told = await explainUrlOf(fetching.pool, String(crawl), `${host.origin}/c/5`, 'Orbweaver/0.0');
  expect(told?.record).toMatchObject({ state: 'excluded', reason: 'trap', detail: `${id}: ${shape}` });
  expect(told?.decisions.find(({ verdict }) => verdict === 'trap')?.because).toContain(
    'an operator put it there',
  );
});

it('lets three URLs through when samples are due, and frees the shape once they say something new', async () => {
  const { crawl, id, asked, visit, states } = await heldCrawl(12);
  await visit();
  await tendQuarantine(fetching.pool, 10, 5_000);
  expect(await states()).toMatchObject({ 'excluded trap': 12 });
  await tables.quarantine.change(fetching.pool, { id: Number(id) }, { sample_at: fromNow(-1) });
  await tendQuarantine(fetching.pool, 10, 5_000);
  expect(await states()).toMatchObject({ 'queued sample': 3, 'excluded trap': 9 });
  await visit();
  expect(asked()).toHaveLength(3);
  expect(await tables.quarantine.row(fetching.pool, { id: Number(id) })).toMatchObject({ let_through: 3 });

  const { host_id } = await tables.quarantine.row(fetching.pool, { id: Number(id) });
  const add = (...pages: Observation[]): Promise<number> =>
    addWatched(fetching.pool, [{ host_id, crawl_id: crawl, pages }], 0);
  // Two processes at a time: neither loses what the other one adds.
  await Promise.all([add(novel(1), novel(2)), add(novel(3), novel(4))]);
  expect(await tables.quarantine.row(fetching.pool, { id: Number(id) })).toMatchObject({
    ...{ verdict: 'held', sampled: 4, novel: 4 },
  });
  await add(novel(5));
  expect(await tables.quarantine.row(fetching.pool, { id: Number(id) })).toMatchObject({
    ...{ verdict: 'released', judged_by: null, settled_at: null },
  });
  await tendQuarantine(fetching.pool, 10, 5_000);
  expect(await states()).toMatchObject({ queued: 9, 'done fetched': 4 });
  await visit();
  expect(new Set(asked()).size).toBe(12);
  await expectExact(fetching.pool, crawl);
});

it('reopens a crawl that had ended when it gives URLs back, and none that was cancelled', async () => {
  for (const [state, cause, after] of [
    ['finished', 'complete', 'running'],
    ['cancelled', 'cancelled', 'cancelled'],
  ] as const) {
    const { crawl, id, visit, states } = await heldCrawl(5);
    await visit();
    await tables.crawl.change(fetching.pool, { id: crawl }, { state, cause, ended_at: fromNow() });
    await giveVerdict(fetching.pool, String(crawl), [id], 'released', 'key 1');
    const { urls } = await sweepRelease(fetching.pool, id, performance.now() + 60_000);
    expect([urls, (await tables.crawl.row(fetching.pool, { id: crawl })).state]).toEqual([
      after === 'running' ? 5 : 0,
      after,
    ]);
    expect((await states())['excluded trap'] ?? 0).toBe(5 - urls);
    if (after === 'running') await expectExact(fetching.pool, crawl);
  }
});

it('keeps nothing back in a crawl that does not look for traps', async () => {
  const { crawl, asked, visit } = await heldCrawl(4);
  const { config } = await tables.crawl.row(fetching.pool, { id: crawl });
  await tables.crawl.change(fetching.pool, { id: crawl }, { config: { ...config, traps: false } });
  await visit();
  expect(asked()).toHaveLength(4);
});
