/**
 * Webhooks on the whole embedded stack, each part of which is killed while deliveries are under way (F38).
 *
 * @module-tag deep
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CreatedWebhook } from '../../contracts/http/webhooks.ts';
import { createPool, type Pool } from '../../storage/postgres/index.ts';
import { setCrawlState } from '../../storage/crawls/index.ts';
import { newCrawl } from '../integration/api/world.ts';
import {
  isSigned,
  slowlyTaken,
  startReceiver,
  type Received,
  type Receiver,
} from '../integration/webhooks/receiver.ts';
import { closedGate } from '../support/gate.ts';
import { startEmbedded, type Embedded, type EmbeddedPart } from '../support/embedded.ts';

const parts: readonly EmbeddedPart[] = ['temporal', 'postgres', 'api', 'worker'];
const eventsOfEach = 40;

let embedded: Embedded;
let receiver: Receiver;
let pool: Pool;

beforeAll(async () => {
  receiver = await startReceiver();
  embedded = await startEmbedded({ webhookAllowPrivate: ['127.0.0.0/8'] });
  pool = createPool(embedded.stack.config.databaseUrl ?? '', 2, () => undefined);
});
afterAll(async () => {
  await pool.end();
  await embedded.close();
  await receiver.stop();
});

it('no event is lost, and none overtakes another of its crawl', async () => {
  const got: Received[] = [];
  const distinct = (): number => new Set(got.map(({ id }) => id)).size;
  // So many are taken until the next part was killed and is back: there are some left for each.
  let most = Infinity;
  let back = closedGate();
  const take = slowlyTaken(got, 100);
  receiver.answer('/hook', (...delivery) => {
    if (distinct() < most) take(...delivery);
    else void back.opened.then(() => take(...delivery));
  });
  const webhook = await embedded.ask<CreatedWebhook>('/v1/webhooks', { url: `${receiver.url}/hook` });
  const crawls = [await newCrawl(pool), await newCrawl(pool)];
  for (let event = 1; event < eventsOfEach; event++)
    for (const crawl of crawls)
      await setCrawlState(pool, Number(crawl), event % 2 === 0 ? 'paused' : 'running', null, null);
  for (const part of parts) {
    const enough = distinct() + 5;
    most = enough + 2;
    await expect.poll(distinct, { interval: 10 }).toBeGreaterThan(enough);
    expect(distinct()).toBeLessThan(eventsOfEach * crawls.length);
    await embedded.kill(part);
    back.open();
    back = closedGate();
  }
  most = Infinity;
  await expect.poll(distinct).toBe(eventsOfEach * crawls.length);
  for (const crawl of crawls) {
    const numbers = got
      .filter(({ message }) => message.crawlId === crawl)
      .map(({ message }) => Number(message.id));
    expect([...new Set(numbers)]).toEqual(Array.from({ length: eventsOfEach }, (_, index) => index + 1));
  }
  // At most what was under way at each kill comes twice.
  expect(got.length - distinct()).toBeLessThanOrEqual(parts.length);
  expect(got.every((each) => isSigned(each, webhook.secret))).toBe(true);
});
