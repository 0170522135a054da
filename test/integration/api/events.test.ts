/**
 * What happened to a crawl: as a list, and live.
 * @module-tag long
 */
import { Agent, request as httpRequest } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  crawlEvent,
  eventKinds,
  streamedEvent,
  type CrawlEvent,
  type EventList,
} from '../../../contracts/http/events.ts';
import { holdTable, tables } from '../../support/database/index.ts';
import { newKey, newTenant } from './asking.ts';
import type { CrawlState } from '../../../contracts/crawl.ts';
import { createPool } from '../../../storage/postgres/index.ts';
import { setCrawlState } from '../../../storage/crawls/index.ts';
import { newCrawl, serve, withServices, withServed } from './world.ts';

const services = withServices();
const { pool } = services;
const api = withServed(pool);
let crawl: string;
beforeEach(async () => {
  crawl = await newCrawl(pool, {}, ['https://a.example/']);
});

const list = async (query = ''): Promise<EventList> =>
  (await (await fetch(`${api.url}/v1/crawls/${crawl}/events${query}`)).json()) as EventList;
const move = (state: CrawlState, reason: string | null = null) =>
  setCrawlState(pool, Number(crawl), state, null, reason);

interface Message {
  readonly id: string | null;
  readonly event: string;
  readonly data: unknown;
}

/** Server-sent events as they come, until the stream ends or `leave` is called. */
async function listen(headers: Record<string, string> = {}, url = api.url) {
  const leaving = new AbortController();
  const response = await fetch(`${url}/v1/crawls/${crawl}/events`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: leaving.signal,
  });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const messages: Message[] = [];
  const whole = (async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = Object.fromEntries(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        );
        text = text.slice(end + 2);
        if (fields['event'] !== undefined) {
          messages.push({
            id: fields['id'] ?? null,
            event: fields['event'],
            data: JSON.parse(fields['data'] ?? 'null'),
          });
        }
      }
    }
  })().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  // A stream may break before the test comes to wait for its end.
  whole.catch(() => undefined);
  const numbered = () => messages.filter(({ id }) => id !== null);
  return { messages, numbered, whole, leave: () => { leaving.abort(); } }; // prettier-ignore
}

describe('listeners', () => {
  const events = (init: RequestInit = {}): Promise<Response> =>
    fetch(`${api.url}/v1/crawls/${crawl}/events`, { headers: { accept: 'text/event-stream' }, ...init });

  it('that leave before they are let in hold no place', async () => {
    const holder = createPool(services.world.databaseUrl, 1, () => undefined);
    const held = await holdTable(holder, 'crawl');
    const leaving = new AbortController();
    try {
      const gone = Array.from({ length: 110 }, () => events({ signal: leaving.signal }).catch(() => null));
      await expect.poll(() => held.waiting()).toBeGreaterThan(2);
      leaving.abort();
      await Promise.all(gone);
    } finally {
      await held.release();
      await holder.end();
    }
    for (let round = 0; round < 3; round++) {
      const stream = await listen();
      await expect.poll(() => stream.numbered().length).toBe(1);
      stream.leave();
    }
  });

  it('that ask for the head alone keep no connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (method: string, accept: string): Promise<number | undefined> =>
      new Promise((answered, failed) => {
        httpRequest(`${api.url}/v1/crawls/${crawl}/events`, {
          ...{ method, agent },
          headers: { accept, authorization: `Bearer ${api.key}` },
        })
          .on('response', (response) => {
            response.resume().on('end', () => { answered(response.statusCode); }); // prettier-ignore
          })
          .on('error', failed)
          .end();
      });
    expect(await ask('HEAD', 'text/event-stream')).toBe(200);
    expect(await ask('GET', 'application/json')).toBe(200);
    agent.destroy();
  });

  it('that are far behind catch up, and hold nobody else up', async () => {
    const behind = Array.from({ length: 1_500 }, () => ({ crawl_id: crawl, kind: 'seeds.added' }));
    await tables.event.addAll(pool, behind);
    const near = await listen({ 'last-event-id': '1501' });
    const far = await listen();
    await move('running');
    await expect.poll(() => near.numbered().map(({ id }) => id)).toEqual(['1502']);
    await expect.poll(() => far.numbered().length).toBe(1_502);
    expect(far.numbered().map(({ id }) => Number(id))).toEqual(
      Array.from({ length: 1_502 }, (_, at) => at + 1),
    );
    near.leave();
    far.leave();
  });
});

describe('events', () => {
  it('are listed in order, each as documented, behind any of them', async () => {
    await move('running');
    await move('paused', 'lunch');
    const { items, next, more } = await list();
    expect(items.map(({ kind }) => kind)).toEqual(['crawl.created', 'crawl.running', 'crawl.paused']);
    expect(items[2]).toMatchObject({ crawlId: crawl, data: { reason: 'lunch' } });
    for (const item of items) {
      expect(crawlEvent.parse(item)).toEqual(item);
      expect(eventKinds).toContain(item.kind);
    }
    expect(items.map(({ id }) => id)).toEqual(['1', '2', '3']);
    const first = await list('?limit=1');
    expect({ more, first: first.more }).toEqual({ more: false, first: true });
    expect((await list(`?limit=1&cursor=${first.next ?? ''}`)).items).toEqual([items[1]]);
    await move('cancelled', 'enough');
    const rest = await list(`?cursor=${next ?? ''}`);
    expect([rest.items.map(({ kind }) => kind), rest.next]).toEqual([['crawl.cancelled'], null]);
  });

  it('come live, with the counts of the moment, and end with the crawl', async () => {
    const stream = await listen();
    await move('running');
    await expect
      .poll(() => stream.numbered().map(({ event }) => event))
      .toEqual(['crawl.created', 'crawl.running']);
    await expect.poll(() => stream.messages.some(({ event }) => event === 'progress')).toBe(true);
    await move('finished', 'complete');
    await stream.whole;
    expect(stream.messages.at(-1)?.event).toBe('end');
    for (const { id, ...told } of stream.messages)
      expect(streamedEvent.safeParse({ ...(id !== null && { id }), ...told }).error).toBeUndefined();
    const all = (await list()).items;
    expect(stream.numbered().map(({ data }) => data)).toEqual(all);
    const headers = { accept: 'text/event-stream', 'last-event-id': all.at(-1)?.id ?? '' };
    expect((await fetch(`${api.url}/v1/crawls/${crawl}/events`, { headers })).status).toBe(204);
  });

  it('go on behind Last-Event-ID: none is lost, none comes twice', async () => {
    const first = await listen();
    await move('running');
    await expect.poll(() => first.numbered().length).toBe(2);
    first.leave();
    await first.whole;
    await move('paused', 'one');
    await move('running');
    const second = await listen({ 'last-event-id': first.numbered().at(-1)?.id ?? '' });
    await move('cancelled', 'enough');
    await second.whole;
    const told = [...first.numbered(), ...second.numbered()].map(({ data }) => (data as CrawlEvent).id);
    expect(told).toEqual((await list()).items.map(({ id }) => id));
  });

  it('go on at another API when the first is gone: none is lost, none comes twice', async () => {
    const first = await serve(pool);
    const before = await listen({}, first.url);
    await move('running');
    await expect.poll(() => before.numbered().length).toBe(2);
    await first.stop();
    await before.whole.catch(() => undefined);
    await move('paused', 'while nobody serves');
    const second = await serve(pool);
    const after = await listen({ 'last-event-id': before.numbered().at(-1)?.id ?? '' }, second.url);
    await move('running');
    await move('cancelled', 'enough');
    await after.whole;
    await second.stop();
    const told = [...before.numbered(), ...after.numbered()].map(({ data }) => (data as CrawlEvent).id);
    expect(told).toEqual(['1', '2', '3', '4', '5']);
  });

  it('are for the tenant of the crawl alone', async () => {
    const key = await newKey(pool, await newTenant(pool), 'admin');
    for (const accept of ['application/json', 'text/event-stream']) {
      const headers = { accept, 'api-x-token': `Bearer ${key}` };
      expect((await fetch(`${api.url}/v1/crawls/${crawl}/events`, { headers })).status).toBe(404);
    }
  });

  it('end when the key of their reader is revoked', async () => {
    const made = await (
      await fetch(`${api.url}/v1/keys`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({ name: 'leaves', role: 'reader' }),
      })
    ).json();
    const { id, key } = made as { readonly id: string; readonly key: string };
    const stream = await listen({ 'api-x-token': `Bearer ${key}` });
    await expect.poll(() => stream.messages.length).toBeGreaterThan(0);
    expect((await fetch(`${api.url}/v1/keys/${id}`, { method: 'DELETE' })).ok).toBe(true);
    await stream.whole;
  });

  it('are not read behind what is no id', async () => {
    expect((await fetch(`${api.url}/v1/crawls/${crawl}/events?cursor=x`)).status).toBe(400);
    const headers = { accept: 'text/event-stream', 'last-event-id': 'x' };
    expect((await fetch(`${api.url}/v1/crawls/${crawl}/events`, { headers })).status).toBe(400);
  });
});
