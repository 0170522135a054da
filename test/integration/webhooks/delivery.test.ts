/**
 * Webhooks end to end (F38): API, outbox, workflow and receiver, in one process, with waits made short.
 *
 * @module-tag long
 */
import { jobWorkflowId } from '../../../contracts/jobs.ts';
import { Writable } from 'node:stream';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { NativeConnection, Worker } from '@temporalio/worker';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keep } from '../../../engine/chores.ts';
import { webhookWaking } from '../../../activities/webhook-waker.ts';
import { createJobActivities } from '../../../activities/jobs.ts';
import { webhookJobs } from '../../../engine/webhooks/deliver.ts';
import { loadConfig } from '../../../config/config.ts';
import type { CrawlState } from '../../../contracts/crawl.ts';
import type { Poster } from '../../../contracts/posting.ts';
import {
  webhookMessage,
  type CreatedWebhook,
  type Deliveries,
  type WebhookView,
} from '../../../contracts/http/webhooks.ts';
import { taskQueues } from '../../../contracts/workflows.ts';
import { webhookAttempts } from '../../../domain/webhook-retry.ts';
import { createPoster } from '../../../net/poster.ts';
import { setCrawlState } from '../../../storage/crawls/index.ts';
import { workflowBundle } from '../../../workers/workflow-bundle.ts';
import { ask } from '../api/asking.ts';
import { newCrawl, withServed } from '../api/world.ts';
import { dropConnections } from '../../support/database/index.ts';
import { quietRuntime } from '../../support/quiet-runtime.ts';
import { isSigned, startReceiver, status, taken, type Receiver } from './receiver.ts';
import { withWorld, withPool } from '../../support/world.ts';

/** The last waits, of six hours, become two seconds. */
const timing = { requestMs: 1_000, scale: 1e-4 };
const patience = { interval: 50 };
/** Paths of receivers that never answer. All others are waited for until they do: this process may be held up. */
const hanging = new Set<string>();
let client: Client;
let receiver: Receiver;
let stopWaking: () => Promise<void>;
const workers: Worker[] = [];
let running: Promise<unknown>;
/** Everything that was logged. */
let logged = '';
const log = pino(
  { level: 'trace' },
  new Writable({ write: (chunk, _encoding, done) => { logged += String(chunk); done(); } }), // prettier-ignore
);

const world = withWorld();
const pool = withPool(world);
const api = withServed(pool, { log, webhookAllowPrivate: ['127.0.0.0/8'] });
beforeAll(async () => {
  quietRuntime();
  const connection = await Connection.connect({ address: world.temporalAddress });
  client = new Client({ connection, namespace: world.namespace });
  const native = await NativeConnection.connect({ address: world.temporalAddress });
  const options = { connection: native, namespace: world.namespace, shutdownGraceTime: 0 };
  const poster = createPoster({ allowPrivate: ['127.0.0.1/32'], userAgent: 'Orbweaver/0 (webhooks)' });
  const post: Poster = (message) =>
    poster({ ...message, ...(!hanging.has(new URL(message.url).pathname) && { timeoutMs: 60_000 }) });
  workers.push(
    await Worker.create({
      ...options,
      taskQueue: taskQueues.control,
      workflowBundle: { codePath: await workflowBundle(loadConfig().cacheDir) },
    }),
    await Worker.create({
      ...options,
      taskQueue: taskQueues.webhook,
      activities: { ...createJobActivities({ webhook: webhookJobs({ pool }, post, timing) }) },
    }),
  );
  running = Promise.all(workers.map((worker) => worker.run()));
  stopWaking = keep([webhookWaking(pool, client.workflow)], log);
  receiver = await startReceiver();
});
afterAll(async () => {
  await stopWaking();
  for (const worker of workers) worker.shutdown();
  await running;
  await receiver.stop();
});

const call = <T>(method: string, path: string, body?: unknown) =>
  ask<T>(api.url, api.key, method, path, body);
const make = async (path: string, wanted: object = {}): Promise<CreatedWebhook> => {
  const { body } = await call<CreatedWebhook>('POST', '/v1/webhooks', {
    url: receiver.url + path,
    ...wanted,
  });
  expect(body.secret).toMatch(/^whsec_/);
  return body;
};
const view = async (id: string) => (await call<WebhookView>('GET', `/v1/webhooks/${id}`)).body;
const deliveriesOf = async (id: string) =>
  (await call<Deliveries>('GET', `/v1/webhooks/${id}/deliveries`)).body;
const move = (crawl: string, state: CrawlState, reason: string | null = null) =>
  setCrawlState(pool, Number(crawl), state, state === 'paused' ? 'asked' : null, reason);
const seen = (path: string, crawl: string): string[] =>
  receiver.at(path).filter(({ message }) => message.crawlId === crawl).map(({ message }) => message.id); // prettier-ignore

let crawl: string;
let path: string;
let made = 0;
beforeEach(async () => {
  path = `/hook${String(++made)}`;
  crawl = await newCrawl(pool);
});
afterEach(async () => {
  const { body } = await call<{ items: WebhookView[] }>('GET', '/v1/webhooks');
  for (const { id } of body.items) await call('DELETE', `/v1/webhooks/${id}`);
});

describe('events', () => {
  it('arrive in order, each once where all goes well, signed, from the making of the webhook on', async () => {
    const since = Date.now();
    const { secret, id } = await make(path);
    const other = await newCrawl(pool);
    await move(crawl, 'running');
    await move(crawl, 'paused', 'lunch');
    await move(other, 'running');
    await move(crawl, 'running');
    await expect.poll(() => receiver.at(path).length, patience).toBe(5);
    expect(seen(path, crawl)).toEqual(['2', '3', '4']);
    expect(seen(path, other)).toEqual(['1', '2']);
    for (const each of receiver.at(path)) {
      expect(isSigned(each, secret)).toBe(true);
      expect(webhookMessage.parse(each.message)).toEqual(each.message);
      expect(each.id).toBe(`evt_${String(each.message.crawlId)}_${each.message.id}`);
      expect(Number(each.timestamp) * 1_000).toBeGreaterThan(since - 1_000);
      expect(Number(each.timestamp) * 1_000).toBeLessThanOrEqual(each.at);
    }
    const lunch = receiver.at(path).find(({ message }) => message.kind === 'crawl.paused');
    expect(lunch?.message.data).toEqual({ cause: 'asked', reason: 'lunch' });
    await expect.poll(async () => (await view(id)).lastDeliveredAt, patience).not.toBeNull();
    // What comes later wakes it again.
    await move(crawl, 'cancelled');
    await expect.poll(() => seen(path, crawl), patience).toEqual(['2', '3', '4', '5']);
    await expect.poll(async () => (await view(id)).pendingCrawls, patience).toBe(0);
  });

  it('are those of the kinds and the crawl that were asked for', async () => {
    const other = await newCrawl(pool);
    await make(path, { kinds: ['crawl.paused', 'crawl.finished'], crawlId: crawl });
    await move(other, 'paused');
    await move(crawl, 'running');
    await move(crawl, 'paused');
    await move(crawl, 'running');
    await move(crawl, 'finished');
    await expect.poll(() => receiver.at(path).length, patience).toBe(2);
    expect(receiver.at(path).map(({ message }) => message.kind)).toEqual(['crawl.paused', 'crawl.finished']);
    expect(seen(path, other)).toEqual([]);
  });

  it('are sent again until they are taken, with the same id, none before the one that failed', async () => {
    let failures = 3;
    receiver.answer(path, (received, response) => {
      const fails = received.message.kind === 'crawl.running' && failures-- > 0;
      (fails ? status(503) : taken)(received, response);
    });
    const { id, secret } = await make(path);
    await move(crawl, 'running');
    await move(crawl, 'paused');
    await expect.poll(() => seen(path, crawl), patience).toEqual(['2', '2', '2', '2', '3']);
    const again = receiver.at(path).slice(0, 4);
    expect(new Set(again.map((each) => each.id)).size).toBe(1);
    expect(again.every((each) => isSigned(each, secret))).toBe(true);
    await expect.poll(async () => (await deliveriesOf(id)).attempts.length, patience).toBe(5);
    const { attempts } = await deliveriesOf(id);
    expect(attempts.map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
      ['delivered', 1],
      ['delivered', 4],
      ['failed', 3],
      ['failed', 2],
      ['failed', 1],
    ]);
    expect(attempts.at(-1)).toMatchObject({ status: 503, message: expect.stringContaining('503') as string });
    expect((await view(id)).failures).toBe(0);
  });

  it('wait as long as Retry-After asks for', async () => {
    let first = true;
    receiver.answer(path, (received, response) => {
      (first ? status(429, { 'retry-after': '3' }) : taken)(received, response);
      first = false;
    });
    await make(path);
    await move(crawl, 'running');
    await expect.poll(() => receiver.at(path).length, patience).toBe(2);
    const [one, two] = receiver.at(path);
    expect((two?.at ?? 0) - (one?.at ?? 0)).toBeGreaterThanOrEqual(2_900);
  });

  it('stop at 410, and go on where they stopped once the webhook is enabled', async () => {
    receiver.answer(path, status(410));
    const { id } = await make(path);
    await move(crawl, 'running');
    await expect.poll(async () => (await view(id)).enabled, patience).toBe(false);
    expect((await view(id)).disabledReason).toContain('410');
    await move(crawl, 'paused');
    receiver.answer(path, taken);
    expect(receiver.at(path).length).toBe(1);
    await call('PATCH', `/v1/webhooks/${id}`, { enabled: true });
    await expect.poll(() => seen(path, crawl), patience).toEqual(['2', '2', '3']);
  });

  it(
    'are given up after a dozen attempts, others go on, and a replay brings them back',
    { tags: ['long'] },
    async () => {
      let ill = true;
      receiver.answer(path, (received, response) => {
        (ill && received.message.kind === 'crawl.running' ? status(500) : taken)(received, response);
      });
      const { id } = await make(path);
      await move(crawl, 'running');
      await move(crawl, 'paused');
      await expect.poll(() => seen(path, crawl).at(-1), patience).toBe('3');
      expect(seen(path, crawl).filter((each) => each === '2').length).toBe(webhookAttempts);
      const letters = (await deliveriesOf(id)).deadLetters;
      expect(letters).toMatchObject([
        { crawlId: crawl, eventId: '2', attempts: webhookAttempts, status: 500 },
      ]);
      expect((await view(id)).deadLetters).toBe(1);
      ill = false;
      const sofar = receiver.at(path).length;
      const replayed = await call('POST', `/v1/webhooks/${id}/replay`, { crawlId: crawl, after: '0' });
      expect([replayed.status, replayed.body]).toEqual([202, { crawls: 1 }]);
      await expect.poll(() => seen(path, crawl).slice(sofar), patience).toEqual(['1', '2', '3']);
      expect((await view(id)).deadLetters).toBe(0);
      const ids = new Set(receiver.at(path).map((each) => each.id));
      expect(ids.size).toBe(3);
    },
  );

  it('are replayed also where that is asked for while one of them is under way', async () => {
    let answer = (): void => undefined;
    receiver.answer(path, (received, response) => {
      if (received.message.id === '2' && seen(path, crawl).length === 1)
        answer = () => taken(received, response);
      else taken(received, response);
    });
    const { id } = await make(path);
    await move(crawl, 'running');
    await expect.poll(() => seen(path, crawl), patience).toEqual(['2']);
    await call('POST', `/v1/webhooks/${id}/replay`, { crawlId: crawl, after: '0' });
    answer();
    await expect.poll(() => seen(path, crawl), patience).toEqual(['2', '1', '2']);
    await expect.poll(async () => (await view(id)).pendingCrawls, patience).toBe(0);
  });

  it('are replayed since an instant', async () => {
    const { id } = await make(path);
    await move(crawl, 'running');
    await expect.poll(() => seen(path, crawl), patience).toEqual(['2']);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    await call('POST', `/v1/webhooks/${id}/replay`, { since, crawlId: crawl });
    await expect.poll(() => seen(path, crawl), patience).toEqual(['2', '1', '2']);
  });
});

describe('a webhook', () => {
  it('that is given another URL tries there at once what the first did not take', async () => {
    receiver.answer(path, status(503, { 'retry-after': '3600' }));
    const since = Date.now();
    const { id } = await make(path);
    await move(crawl, 'running');
    await expect.poll(async () => (await view(id)).notBefore, patience).not.toBeNull();
    expect(Date.parse((await view(id)).notBefore ?? '')).toBeGreaterThanOrEqual(since + 3_600_000);
    await call('PATCH', `/v1/webhooks/${id}`, { url: `${receiver.url}${path}b` });
    await expect.poll(() => seen(`${path}b`, crawl), patience).toEqual(['2']);
    expect(receiver.at(path).length).toBe(1);
  });

  it('that is deleted sends nothing more, and its workflow ends', async () => {
    let answer = (): void => undefined;
    receiver.answer(path, (received, response) => {
      answer = () => taken(received, response);
    });
    const { id } = await make(path);
    await move(crawl, 'running');
    await move(crawl, 'paused');
    await expect.poll(() => seen(path, crawl), patience).toEqual(['2']);
    await call('DELETE', `/v1/webhooks/${id}`);
    answer();
    const stateOf = async () =>
      (await client.workflow.getHandle(jobWorkflowId('webhook', id)).describe()).status.name;
    await expect.poll(stateOf, patience).toBe('COMPLETED');
    expect(seen(path, crawl)).toEqual(['2']);
  });

  it('goes on where Postgres throws everybody out meanwhile: none lost, none overtaken', async () => {
    await make(path);
    receiver.answer(path, (received, response) => {
      setTimeout(() => taken(received, response), 30);
    });
    for (let turn = 0; turn < 20; turn++) await move(crawl, turn % 2 === 0 ? 'running' : 'paused');
    for (const enough of [3, 9]) {
      await expect.poll(() => receiver.at(path).length, patience).toBeGreaterThan(enough);
      await dropConnections(pool);
    }
    const all = Array.from({ length: 20 }, (_, turn) => String(turn + 2));
    await expect.poll(() => [...new Set(seen(path, crawl))], patience).toEqual(all);
    const numbers = seen(path, crawl).map(Number);
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    expect(numbers.length).toBeLessThanOrEqual(all.length + 2);
  });
});

describe('a receiver', () => {
  it('that hangs, redirects or sends for ever counts as one that fails, and holds up nobody else', async () => {
    const [slow, moved, long] = [`${path}s`, `${path}m`, `${path}l`];
    hanging.add(slow);
    receiver.answer(slow, () => undefined);
    receiver.answer(moved, status(302, { location: `${receiver.url}/elsewhere` }));
    receiver.answer(long, (_received, response) => {
      response.writeHead(200);
      const more = (): void => {
        if (!response.destroyed) response.write('x'.repeat(16_384), () => setImmediate(more));
      };
      more();
    });
    const ids = await Promise.all([slow, moved, long].map(async (each) => (await make(each)).id));
    await make(path);
    await move(crawl, 'running');
    await expect.poll(() => seen(path, crawl), patience).toEqual(['2']);
    const lastOf = async (id = '') => (await deliveriesOf(id)).attempts.at(-1);
    await expect.poll(() => lastOf(ids[0]), patience).toMatchObject({ outcome: 'failed', status: null });
    expect((await lastOf(ids[0]))?.message).toContain('did not answer within 1000 ms');
    await expect.poll(() => lastOf(ids[1]), patience).toMatchObject({ outcome: 'failed', status: 302 });
    expect((await lastOf(ids[1]))?.message).toContain('not followed');
    await expect.poll(() => lastOf(ids[2]), patience).toMatchObject({ outcome: 'delivered', status: 200 });
    expect(receiver.at('/elsewhere')).toEqual([]);
  });

  it('at a private address is refused before anything is sent, without saying where its name leads', async () => {
    const port = new URL(receiver.url).port;
    const { id } = await make('', { url: `http://127.0.0.2:${port}${path}` });
    const named = await make('', { url: `http://localhost:${port}${path}` });
    await move(crawl, 'running');
    const messageOf = async (webhook: string) => (await deliveriesOf(webhook)).attempts.at(-1)?.message;
    await expect.poll(() => messageOf(id), patience).toContain('private or special address');
    // localhost is 127.0.0.1 here, which the test allows.
    await expect.poll(() => receiver.at(path).length, patience).toBe(1);
    // The answer is noted after it has come.
    const outcome = async () => (await deliveriesOf(named.id)).attempts.at(-1)?.outcome;
    await expect.poll(outcome, patience).toBe('delivered');
  });
});

describe('a test event', () => {
  it('is sent once, also where the webhook is disabled, and is told of', async () => {
    receiver.answer(path, status(500));
    const { id, secret } = await make(path);
    await call('PATCH', `/v1/webhooks/${id}`, { enabled: false });
    const { body, status: code } = await call<{ messageId: string }>('POST', `/v1/webhooks/${id}/test`);
    expect(code).toBe(202);
    await expect
      .poll(async () => (await deliveriesOf(id)).attempts, patience)
      .toMatchObject([
        { messageId: body.messageId, kind: 'webhook.test', outcome: 'failed', status: 500, crawlId: null },
      ]);
    const [sent] = receiver.at(path);
    expect(sent).toMatchObject({ id: body.messageId, message: { kind: 'webhook.test', crawlId: null } });
    expect(sent !== undefined && isSigned(sent, secret)).toBe(true);
    expect((await view(id)).failures).toBe(0);
  });
});

describe('the secret', () => {
  it('is in the first answer alone: in no later one, no log, no history; nor is the URL in a history', async () => {
    const { id, secret } = await make(`${path}?token=very-own`);
    await move(crawl, 'running');
    await expect.poll(() => receiver.at(`${path}?token=very-own`).length, patience).toBe(1);
    await call('POST', `/v1/webhooks/${id}/test`);
    await expect.poll(() => receiver.at(`${path}?token=very-own`).length, patience).toBe(2);
    const later: unknown[] = [];
    for (const end of ['', `/${id}`, `/${id}/deliveries`])
      later.push((await call('GET', `/v1/webhooks${end}`)).body);
    later.push((await call('PATCH', `/v1/webhooks/${id}`, { kinds: null })).body);
    const bare = secret.replace('whsec_', '');
    const hex = Buffer.from(bare, 'base64').toString('hex');
    const history = historyToJSON(
      await client.workflow.getHandle(jobWorkflowId('webhook', id)).fetchHistory(),
    );
    const payloads = [...history.matchAll(/"data": ?"([^"]+)"/g)].map(([, data = '']) =>
      Buffer.from(data, 'base64').toString(),
    );
    expect(payloads.join()).toContain(id);
    for (const text of [JSON.stringify(later), logged, history, payloads.join()]) {
      expect(text).not.toContain(bare);
      expect(text).not.toContain(hex);
    }
    for (const text of [history, payloads.join()]) expect(text).not.toContain('very-own');
    expect(logged).toContain(id);
  });
});
