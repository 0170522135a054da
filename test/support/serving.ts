/** A world with one worker and the API before it, as an operator of the first tenant sees it. */
import { createCrawlControl } from '../../api/crawls/crawl-control.ts';
import { taskQueues } from '../../contracts/workflows.ts';
import { createTextReader } from '../../engine/page-text.ts';
import { ArchiveReader, openSegments, unpackAside } from '../../storage/archive/index.ts';
import { newKey } from '../integration/api/asking.ts';
import { serve, type Api } from '../integration/api/world.ts';
import { given } from './given.ts';
import { openDesk, type CrawlDesk } from './crawling.ts';
import { startWorker, type WorkerSettings } from './worker.ts';
import { createWorld } from './world.ts';

export interface Serving {
  readonly desk: CrawlDesk;
  readonly api: Api;
  /** Of an operator of tenant 1. */
  readonly key: string;
  /** kill -9. */
  readonly killWorker: () => Promise<void>;
  /** Starts another worker, with the same settings. */
  readonly nextWorker: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Bytes of a body at most, as workers have it unless told otherwise. */
const usualBytes = 10 * 1024 * 1024;

async function startServing(settings: WorkerSettings): Promise<Serving> {
  const world = await createWorld();
  const desk = await openDesk(world);
  let worker = await startWorker(world, settings);
  const control = createCrawlControl(desk.client, taskQueues.crawl);
  const segments = await openSegments(settings.blobDir, null);
  const archive = new ArchiveReader(desk.pool, segments, settings.maxBodyBytes ?? usualBytes, unpackAside);
  const textOf = createTextReader(archive);
  const api = await serve(desk.pool, { control, archive, textOf, anonymous: true });
  return {
    ...{ desk, api, key: await newKey(desk.pool, '1', 'operator') },
    killWorker: () => worker.kill(),
    nextWorker: async () => {
      worker = await startWorker(world, settings);
    },
    close: async () => {
      await api.stop();
      await worker.drain();
      await desk.close();
      await world.close();
    },
  };
}

/** The same for the tests of a file. */
export const withServing = (settings: WorkerSettings): Serving =>
  given(
    () => startServing(settings),
    (serving) => serving.close(),
  );
