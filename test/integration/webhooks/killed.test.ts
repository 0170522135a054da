/**
 * Webhooks over the death of the worker that sends them (F38): nothing is lost, and nothing overtakes.
 *
 * @module-tag long
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreatedWebhook } from '../../../contracts/http/webhooks.ts';
import { setCrawlState } from '../../../storage/crawls/index.ts';
import { makeBlobDir, startWorker, type WorkerProcess } from '../../support/worker.ts';
import { ask } from '../api/asking.ts';
import { newCrawl, withServed } from '../api/world.ts';
import { isSigned, slowlyTaken, startReceiver, type Received, type Receiver } from './receiver.ts';
import { withWorld, withPool } from '../../support/world.ts';

const blobDir = makeBlobDir();
const changes = 12;
const world = withWorld();
const pool = withPool(world);
const api = withServed(pool, { webhookAllowPrivate: ['127.0.0.0/8'] });
let receiver: Receiver;
let worker: WorkerProcess;
const spawn = (): Promise<WorkerProcess> => startWorker(world, { roles: 'control', blobDir });

beforeAll(async () => {
  receiver = await startReceiver();
  worker = await spawn();
});
afterAll(async () => {
  await worker.drain();
  await receiver.stop();
  rmSync(blobDir, { recursive: true, force: true });
});

describe('a worker that is killed while it delivers', () => {
  it('loses no event and no order', async () => {
    // Slow enough that every kill meets a request that is under way.
    const got: Received[] = [];
    receiver.answer('/hook', slowlyTaken(got, 100));
    const { body: webhook } = await ask<CreatedWebhook>(api.url, api.key, 'POST', '/v1/webhooks', {
      url: `${receiver.url}/hook`,
    });
    const crawls = await Promise.all([1, 2, 3].map(() => newCrawl(pool)));
    for (let change = 0; change < changes; change++)
      for (const crawl of crawls)
        await setCrawlState(pool, Number(crawl), change % 2 === 0 ? 'running' : 'paused', 'asked', null);
    const total = crawls.length * (changes + 1);
    for (let kill = 1; kill <= 2; kill++) {
      const enough = got.length + 5;
      await expect.poll(() => got.length, { interval: 10 }).toBeGreaterThan(enough);
      await worker.kill();
      worker = await spawn();
    }
    const distinct = () => new Set(got.map(({ id }) => id)).size;
    await expect.poll(distinct).toBe(total);
    for (const crawl of crawls) {
      const numbers = got
        .filter(({ message }) => message.crawlId === crawl)
        .map(({ message }) => Number(message.id));
      const firsts = [...new Set(numbers)];
      expect(firsts).toEqual(Array.from({ length: changes + 1 }, (_, index) => index + 1));
      // What comes again is what was under way when somebody died, before anything behind it.
      for (const [index, number] of numbers.entries())
        expect(Math.max(...numbers.slice(0, index + 1))).toBe(number);
    }
    // At most the one under way at each kill comes twice.
    expect(got.length - total).toBeLessThanOrEqual(2);
    expect(got.every((each) => isSigned(each, webhook.secret))).toBe(true);
    expect(worker.log.join('\n')).not.toContain(webhook.secret.replace('whsec_', ''));
  });
});
