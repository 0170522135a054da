/**
 * Why is it slow (G14): small webs whose bottleneck is known are crawled side by side by real workers, and what the crawl
 * says about its time is judged by the log of each web. Expectations follow from the log alone: a machine that is slow
 * itself makes other causes larger, and not the one that is judged.
 *
 * @module-tag deep
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wakeHost } from '../../activities/wake-host.ts';
import type { CrawlConfig } from '../../contracts/crawl.ts';
import { crawlTimeView, type CrawlTimeView } from '../../contracts/http/crawl-time.ts';
import type { HostSettingsChange } from '../../contracts/hosts.ts';
import { hostWorkflowId, pauseHostSignal } from '../../contracts/workflows.ts';
import type { TimeCause } from '../../domain/time-lost.ts';
import {
  page,
  robots,
  slowly,
  startSite,
  status,
  type Answer,
  type Site,
} from '../integration/activities/site.ts';
import { serve, type Api } from '../integration/api/world.ts';
import { untilDayLasts } from '../support/calendar.ts';
import { openDesk, type CrawlDesk } from '../support/crawling.ts';
import { ledgerPages } from '../support/database/index.ts';
import { expectExplained } from '../support/explained.ts';
import { makeBlobDir, startWorker, type WorkerProcess } from '../support/worker.ts';
import { createWorld, type World } from '../support/world.ts';

interface Stand {
  readonly world: World;
  readonly desk: CrawlDesk;
  readonly api: Api;
  readonly worker: WorkerProcess;
}

/** One with places for all hosts, one with a place for a single host. */
let wide: Stand;
let narrow: Stand;

async function stand(activeHosts?: number): Promise<Stand> {
  const world = await createWorld();
  const desk = await openDesk(world);
  const api = await serve(desk.pool, { wakeHost: (origin) => wakeHost(desk.client.workflow, origin) });
  const worker = await startWorker(world, { blobDir: makeBlobDir(), ...(activeHosts && { activeHosts }) });
  return { world, desk, api, worker };
}

beforeAll(async () => {
  [wide, narrow] = await Promise.all([stand(), stand(1)]);
});
afterAll(async () => {
  for (const { world, desk, api, worker } of [wide, narrow]) {
    await worker.drain();
    await api.stop();
    await desk.close();
    await world.close();
  }
});

const paths = (many: number): string[] => Array.from({ length: many }, (_, at) => `/${String(at)}`);

/** A site whose first page links to all others. @param answer of each of them */
const linking = (many: number, lines: readonly string[] = [], answer: Answer = page('text')): Promise<Site> =>
  startSite({
    '/robots.txt': robots(...lines),
    '/': (response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(
        paths(many)
          .map((path) => `<a href="${path}">to</a>`)
          .join(' '),
      );
    },
    ...Object.fromEntries(paths(many).map((path) => [path, answer])),
  });

async function set({ api }: Stand, origin: string, change: HostSettingsChange): Promise<void> {
  const response = await fetch(`${api.url}/v1/hosts/${encodeURIComponent(origin)}/settings`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
  expect(response.status).toBe(200);
}

async function timeOf({ api }: Stand, id: string): Promise<CrawlTimeView> {
  const response = await fetch(`${api.url}/v1/crawls/${id}/time`);
  expect(response.status).toBe(200);
  const time = crawlTimeView.parse(await response.json());
  expectExplained(time);
  return time;
}

/** @param seeds of each site; from its first page alone nothing follows before that was read */
const crawl = (
  { desk }: Stand,
  sites: readonly Site[],
  config: Partial<CrawlConfig> = {},
  seeds: readonly string[] = ['/'],
): Promise<string> =>
  desk.start(
    sites.flatMap(({ origin }) => seeds.map((path) => origin + path)),
    { allowPrivate: ['127.0.0.0/8'], ...config },
  );

const secondsOf = (time: CrawlTimeView, cause: TimeCause): number =>
  time.causes.find((each) => each.cause === cause)?.seconds ?? 0;

/** Sums over requests that follow each other: from the end of one until the next, as `part` cuts it. */
const between = (site: Site, part: (endedAt: number, nextAt: number, at: number) => number): number =>
  site.hits
    .slice(1)
    .map((next, at) => part(site.hits[at]?.endedAt ?? next.at, next.at, at))
    .reduce((sum, ms) => sum + Math.max(0, ms), 0) / 1_000;

/** What a delay keeps back: a request never comes sooner, and what makes it later is another cause. */
const keptBack = (site: Site, delayMs: number): number =>
  between(site, (endedAt, nextAt) => Math.min(nextAt, endedAt + delayMs) - endedAt);

/**
 * The crawl is over, its largest cause is `cause`, and that has the seconds that the log says, within a tenth. The last
 * seconds of a visit may come a moment after the end. @param also a cause that the log cannot tell from it
 */
async function expectJudged(
  at: Stand,
  id: string,
  cause: TimeCause,
  expected: () => number,
  also?: TimeCause,
): Promise<CrawlTimeView> {
  await at.desk.ended(id);
  await expect
    .poll(async () => {
      const time = await timeOf(at, id);
      const seconds = secondsOf(time, cause) + (also === undefined ? 0 : secondsOf(time, also));
      return { first: time.causes[0]?.cause, share: seconds / expected() };
    })
    .toSatisfy(({ first, share }: { first: TimeCause; share: number }) => {
      return first === cause && share > 0.9 && share < 1.1;
    });
  return timeOf(at, id);
}

/** As `expectJudged`, of a crawl that cannot end: the longer it waits, the less matters what came before. */
async function expectWaiting(at: Stand, id: string, cause: TimeCause, expected: () => number): Promise<void> {
  await expect
    .poll(async () => secondsOf(await timeOf(at, id), cause) / expected(), { interval: 500 })
    .toSatisfy((share: number) => share > 0.9 && share < 1.1);
  const time = await timeOf(at, id);
  expect(time.hosts.items[0]).toMatchObject({ cause });
}

const secondsSince = (at: number | null | undefined): number => (performance.now() - (at ?? 0)) / 1_000;
/** Opens for an hour, two days from now. */
const inTwoDays = (): NonNullable<HostSettingsChange['windows']> => {
  const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone: 'UTC' });
  const day = weekday.format(Date.now() + 2 * 86_400_000).toLowerCase() as 'mon';
  return { timeZone: 'UTC', open: [{ days: [day], from: '12:00', to: '13:00' }] };
};

const webs: Readonly<Record<string, () => Promise<void>>> = {
  'the delay of the host, and when it will be over': async () => {
    // The end is foretold from the pages so far and the start: after ten of fourteen, an error of it counts four tenths.
    const site = await startSite();
    await set(wide, site.origin, { delaySeconds: 4 });
    const id = await crawl(wide, [site], {}, paths(14));
    // Counted, not under way: a page under way is one more delay to come.
    await expect.poll(() => ledgerPages(wide.desk.pool, id)).toBeGreaterThanOrEqual(10);
    const early = await timeOf(wide, id);
    const time = await expectJudged(wide, id, 'delay', () => keptBack(site, 4_000));
    const end = performance.timeOrigin + (site.hits.at(-1)?.endedAt ?? 0);
    const foretold = Date.parse(early.eta?.at ?? '');
    const left = end - Date.parse(early.at);
    expect(Math.abs(foretold - end)).toBeLessThan(left * 0.1 + 1_500);
    expect(early.eta).toMatchObject({ by: 'host' });
    expect(time).toMatchObject({ eta: null, hosts: { unfinished: 0 } });
    // Every second of the one host is counted once.
    const began = site.hits[0]?.at ?? 0;
    expect(time.seconds).toBeGreaterThan((end - performance.timeOrigin - began) * 0.9e-3);
    const parts = time.causes.reduce((sum, { seconds }) => sum + seconds, 0);
    expect(parts).toBeCloseTo(time.seconds, 1);
  },

  'the Crawl-delay of robots.txt': async () => {
    const site = await startSite({ '/robots.txt': robots('User-agent: *', 'Crawl-delay: 2') });
    const id = await crawl(wide, [site], {}, paths(18));
    await expectJudged(wide, id, 'crawl_delay', () => keptBack(site, 2_000));
  },

  'the delay that the crawl itself asks for, beyond that of the host': async () => {
    const site = await startSite();
    // The wait for the first page is one of sixteen, less than a tenth.
    const id = await crawl(wide, [site], { delaySeconds: 3.5 }, paths(16));
    // Not before the first page: that a visit begins late cannot be told from this delay there.
    const own = (): number =>
      between(site, (endedAt, nextAt, at) => (at === 0 ? 0 : Math.min(nextAt - endedAt, 3_500) - 1_000));
    await expectJudged(wide, id, 'own_delay', own);
  },

  'slow answers': async () => {
    // Long, since the log cannot tell how long a request has lain at a site that was busy.
    const site = await linking(3, [], slowly(11_000, page('slow')));
    await set(wide, site.origin, { delaySeconds: 0 });
    const id = await crawl(wide, [site]);
    const answering = (): number =>
      site.hits
        .filter(({ path }) => path !== '/robots.txt')
        .reduce((sum, { at, endedAt }) => sum + ((endedAt ?? at) - at), 0) / 1_000;
    await expectJudged(wide, id, 'answering', answering);
  },

  'Retry-After': async () => {
    const busy: Answer = (response, request, count) => {
      if (count === 1) status(503, { 'retry-after': '20' })(response, request, count);
      else page('well')(response, request, count);
    };
    const site = await startSite({ '/robots.txt': robots(), '/': busy });
    await set(wide, site.origin, { delaySeconds: 0 });
    const id = await crawl(wide, [site]);
    const asked = (): number =>
      between(site, (endedAt, nextAt, at) =>
        site.hits[at]?.path === '/' ? Math.min(nextAt, endedAt + 20_000) - endedAt : 0,
      );
    await expectJudged(wide, id, 'retry_after', asked);
  },

  'URLs that are tried again later': async () => {
    const site = await startSite({ '/robots.txt': robots(), '/': status(500) });
    const id = await crawl(wide, [site]);
    const later = (): number =>
      between(site, (endedAt, nextAt, at) =>
        site.hits[at]?.path === '/' ? Math.min(nextAt, endedAt + (at === 1 ? 5_000 : 20_000)) - endedAt : 0,
      );
    await expectJudged(wide, id, 'retry', later);
  },

  'a spent quota': async () => {
    await untilDayLasts(180_000);
    const site = await linking(9);
    await set(wide, site.origin, { delaySeconds: 0, quotaPerDay: 4 });
    const id = await crawl(wide, [site]);
    await expect.poll(() => site.hits.length).toBe(4);
    await expectWaiting(wide, id, 'quota', () => secondsSince(site.hits[3]?.endedAt));
  },

  'opening times': async () => {
    const site = await linking(30);
    const id = await crawl(wide, [site]);
    await expect.poll(() => site.hits.length).toBeGreaterThan(2);
    await set(wide, site.origin, { windows: inTwoDays() });
    await expectWaiting(wide, id, 'windows', () => secondsSince(site.hits.at(-1)?.endedAt));
  },

  'a host that an operator paused: no end in sight': async () => {
    const site = await linking(30);
    const id = await crawl(wide, [site]);
    await expect.poll(() => site.hits.length).toBeGreaterThan(2);
    const workflow = wide.desk.client.workflow.getHandle(hostWorkflowId(site.origin));
    await workflow.signal(pauseHostSignal, 'a look');
    await expectWaiting(wide, id, 'paused', () => secondsSince(site.hits.at(-1)?.endedAt));
    expect(await timeOf(wide, id)).toMatchObject({ eta: { seconds: null, at: null } });
  },

  'places: one host at a time': async () => {
    const sites = await Promise.all([linking(9), linking(9), linking(9)]);
    const id = await crawl(narrow, sites);
    // The door asks every host for its robots.txt at once; then each waits until those before it are done.
    const waiting = (): number =>
      sites.reduce((sum, { hits }) => {
        const first = hits.find(({ path }) => path !== '/robots.txt');
        return sum + ((first?.at ?? 0) - (hits[0]?.endedAt ?? 0)) / 1_000;
      }, 0);
    await expectJudged(narrow, id, 'place', waiting, 'slot');
  },
};

it('a crawl says where its time goes, within a tenth of what the log of its web says', async () => {
  const judged = Object.entries(webs).map(async ([name, judge]) => {
    const problem = await judge().then(
      () => 'right',
      (error: unknown) => String(error),
    );
    return [name, problem] as const;
  });
  const right = Object.keys(webs).map((name) => [name, 'right'] as const);
  expect(Object.fromEntries(await Promise.all(judged))).toEqual(Object.fromEntries(right));
});
