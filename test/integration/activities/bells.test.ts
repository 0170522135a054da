/** From an answer to its links without waiting for a look (docs/design.md, "Bells"): here no sleep of a look ever ends by itself. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { createCrawlActivities } from '../../../activities/crawls.ts';
import { createDedupActivities } from '../../../activities/dedup.ts';
import { createExtractActivities } from '../../../activities/extract.ts';
import { createFetchActivities } from '../../../activities/fetch.ts';
import { createExtractor } from '../../../content/extract.ts';
import { Ear } from '../../../engine/bells.ts';
import type { Dependencies } from '../../../engine/dependencies.ts';
import { Door } from '../../../engine/door/door.ts';
import type { CrawlSettings } from '../../../engine/settings.ts';
import { listen, notify } from '../../../storage/postgres/index.ts';
import { asActivity } from '../../support/activity.ts';
import { tables } from '../../support/database/index.ts';
import { withFetching } from './fetching.ts';
import { page, startSite } from './site.ts';

const fetching = withFetching();
const nobody = {} as never;
const slept = Reflect.get(Ear.prototype, 'sleep');

it('asks for what a page links to as soon as it is read, in whatever process', async () => {
  sleepForAnHour();
  const { signal, stop } = stoppable();
  /** A process of its own, which hears the others. */
  const open = async (settings: Partial<CrawlSettings> = {}): Promise<Dependencies> => {
    const process = fetching.dependencies(settings);
    const heard = Promise.withResolvers<undefined>();
    const hear = (text: string): void => {
      if (text === 'ready') heard.resolve(undefined);
      else process.bells.hear(text);
    };
    onTestFinished(listen(fetching.databaseUrl, hear, () => undefined));
    const probe = setInterval(() => void notify(fetching.pool, 'ready'), 20);
    await heard.promise;
    clearInterval(probe);
    return process;
  };
  const [fetches, judges, reads] = [await open({ lingerMs: 60_000 }), await open(), await open()];
  const site = await startSite({
    '/': page('<a href="/second">on</a>'),
    '/second': page('<a href="/third">on</a>'),
    '/third': page('the last'),
  });
  const { host } = await fetching.queued(site.origin, ['/'], { scope: 'host' }, [`${site.origin}/`]);
  const lane = { shard: 0, lane: 0, lanes: 1 };
  const extractor = await createExtractor();
  const running = [
    asActivity(() => createDedupActivities(judges).dedup(lane), { signal }),
    asActivity(() => createExtractActivities(reads, extractor).extract(lane), { signal }),
    asActivity(() => createFetchActivities(fetches).fetchSlice({ inTrouble: false, ...host }), { signal }),
  ];
  await expect.poll(() => site.paths()).toContain('/third');
  stop();
  await Promise.allSettled(running);
});

it('asks a host at the door as soon as a seed of it is admitted, and ends the crawl with its last page', async () => {
  const sleeps = sleepForAnHour();
  const { signal, stop } = stoppable();
  const dependencies = fetching.dependencies({ lingerMs: 60_000 }, { extractor: createExtractor });
  const site = await startSite({ '/': page('<a href="/last">on</a>') });
  const crawl = await fetching.crawl({ scope: 'host' }, [`${site.origin}/`]);
  const door = new Door(dependencies, () => Promise.resolve(), 4);
  onTestFinished(() => door.close());
  // The first look has found nobody.
  await expect.poll(() => sleeps.mock.calls.length).toBeGreaterThan(0);
  const { watchCrawl } = createCrawlActivities(dependencies, nobody);
  const watching = asActivity(() => watchCrawl({ crawlId: String(crawl), watchMs: 3_600_000 }), { signal });
  await expect.poll(() => site.paths()).toContain('/robots.txt');
  const { host_id: hostId } = await tables.url.row(fetching.pool, { crawl_id: crawl });
  await expect
    .poll(() => tables.host.row(fetching.pool, { id: hostId }))
    .toMatchObject({ lease_until: null });
  const visiting = asActivity(
    () =>
      createFetchActivities(dependencies).fetchSlice({
        inTrouble: false,
        hostId: String(hostId),
        origin: site.origin,
      }),
    { signal },
  );
  expect(await watching).toMatchObject({ verdict: 'complete' });
  expect(site.paths()).toEqual(['/robots.txt', '/', '/last']);
  stop();
  await Promise.allSettled([visiting]);
});

/** A look that sleeps is woken by a bell alone. */
function sleepForAnHour() {
  return vi.spyOn(Ear.prototype, 'sleep').mockImplementation(function (this: Ear, _, signal) {
    return slept.call(this, 3_600_000, signal);
  });
}

function stoppable(): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
  };
  onTestFinished(stop);
  return { signal: controller.signal, stop };
}
