/** Webhooks as a resource (F38): whose they are, what is taken, what is shown. Delivery: test/integration/webhooks. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Problem } from '../../../contracts/http/problem.ts';
import {
  createdWebhook,
  deliveries,
  mostWebhooks,
  webhookList,
  webhookView,
  type CreatedWebhook,
  type WebhookView,
} from '../../../contracts/http/webhooks.ts';
import { setCrawlState } from '../../../storage/crawls/index.ts';
import { tables } from '../../support/database/index.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { newCrawl, serve, withApi } from './world.ts';

const { pool, api } = withApi({ anonymous: true });
let admin: string;
let stranger: string;
beforeEach(async () => {
  admin = await newKey(pool, await newTenant(pool), 'admin');
  stranger = await newKey(pool, await newTenant(pool), 'admin');
});

const url = 'https://hook.example/in';
const make = (body: unknown = { url }, by = admin) =>
  ask<CreatedWebhook & Problem>(api.url, by, 'POST', '/v1/webhooks', body);
const call = <T = WebhookView & Problem>(method: string, path: string, body?: unknown, by = admin) =>
  ask<T>(api.url, by, method, `/v1/webhooks${path}`, body);
const withTag = (method: string, path: string, tag: string, body?: object) =>
  fetch(`${api.url}/v1/webhooks${path}`, {
    method,
    headers: {
      authorization: `Bearer ${admin}`,
      'if-match': tag,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });

describe('a receiver at a private address', () => {
  it('is refused at once, unless the instance allows its block', async () => {
    const named = [
      ...[
        '127.0.0.1',
        'localhost:8080',
        'a.localhost',
        'localhost.',
        'a.localhost.:8080',
        '10.0.0.1',
        '169.254.169.254',
        '2130706433',
        '0x7f.1',
      ],
      ...['[::1]', '[::ffff:10.0.0.1]', '[fd00::1]', '192.168.1.1:80', '0.0.0.0'],
    ];
    for (const host of named) {
      const { status, body } = await make({ url: `http://${host}/hook` });
      expect([status, body.detail], host).toEqual([422, expect.stringMatching(/^url: is at a .* address/)]);
    }
    const { body: made } = await make();
    const moved = await call('PATCH', `/${made.id}`, { url: 'http://10.0.0.1/' });
    expect([moved.status, (await call('GET', `/${made.id}`)).body.url]).toEqual([422, url]);
    for (const public_ of ['http://93.184.216.34/', 'https://[2606:4700::1]/', 'http://10.example/'])
      expect((await make({ url: public_ })).status, public_).toBe(201);
    const lenient = await serve(pool, { anonymous: true, webhookAllowPrivate: ['10.0.0.0/8'] });
    const there = (to: string) => ask(lenient.url, admin, 'POST', '/v1/webhooks', { url: to });
    expect((await there('http://10.0.0.1/')).status).toBe(201);
    expect((await there('http://127.0.0.1/')).status).toBe(422);
    await lenient.stop();
  });
});

describe('a webhook', () => {
  it('is made, with a secret that is shown this once, and looked at', async () => {
    const { status, body, headers } = await make({ url: 'https://hook.example/in?x=1#frag' });
    expect(status).toBe(201);
    expect(createdWebhook.parse(body)).toEqual(body);
    expect(headers.get('location')).toBe(`/v1/webhooks/${body.id}`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(Buffer.from(body.secret.replace('whsec_', ''), 'base64').length).toBe(32);
    const { secret, ...shown } = body;
    expect(shown).toMatchObject({
      url: 'https://hook.example/in?x=1',
      kinds: null,
      crawlId: null,
      enabled: true,
    });
    const one = await call('GET', `/${body.id}`);
    expect(webhookView.parse(one.body)).toEqual(shown);
    expect(one.headers.get('etag')).toBe(headers.get('etag'));
    const all = await call<{ items: WebhookView[] }>('GET', '');
    expect(webhookList.parse(all.body)).toEqual({ items: [shown] });
    expect(JSON.stringify([one.body, all.body])).not.toContain(secret);
    const empty = await call<object>('GET', `/${body.id}/deliveries`);
    expect(deliveries.parse(empty.body)).toEqual({ attempts: [], deadLetters: [] });
  });

  it.each([
    ['no URL', {}, 'url'],
    ['another scheme', { url: 'ftp://hook.example/' }, 'url'],
    ['a password', { url: 'https://me:secret@hook.example/' }, 'url'],
    ['a URL that is none', { url: '/hook' }, 'url'],
    ['a URL that is too long', { url: `https://hook.example/${'x'.repeat(2_100)}` }, 'url'],
    ['a kind that is none', { url, kinds: ['crawl.exploded'] }, 'kinds.0'],
    ['no kind', { url, kinds: [] }, 'kinds'],
    ['a secret of its own', { url, secret: 'whsec_x' }, ''],
  ])('with %s is refused, and says where', async (_what, body, path) => {
    const answer = await make(body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors?.map((each) => each.path)).toContain(path);
    expect(JSON.stringify(answer.body)).not.toContain('me:secret');
  });

  it('may be for a crawl of the own tenant only', async () => {
    const others = await newCrawl(pool);
    expect((await make({ url, crawlId: others })).status).toBe(404);
  });

  it('is one of twenty at most, however many are made at the same time', async () => {
    const made = await Promise.all(Array.from({ length: mostWebhooks + 5 }, () => make()));
    expect(made.filter(({ status }) => status === 201).length).toBe(mostWebhooks);
    expect(made.filter(({ status }) => status === 409).length).toBe(5);
  });

  it('is as unknown to others as one that never was, on every route', async () => {
    const { body } = await make();
    const routes = [
      ['GET', ''],
      ['PATCH', '', { enabled: false }],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/replay', { since: '2026-01-01T00:00:00Z' }],
      ['POST', '/test'],
    ] as const;
    for (const id of [body.id, '00000000-0000-4000-8000-000000000000', 'x']) {
      for (const [method, end, sent] of routes) {
        const answer = await call(method, `/${id}${end}`, sent, stranger);
        expect(answer.status, `${method} ${end}`).toBe(404);
        expect(answer.body.detail).toBe(`There is no webhook ${id}.`);
      }
    }
    expect((await call<{ items: unknown[] }>('GET', '', undefined, stranger)).body.items).toEqual([]);
    expect((await call('GET', `/${body.id}`)).body).toMatchObject({ enabled: true });
  });

  it('is an admin’s business', async () => {
    const tenant = await newTenant(pool);
    const operator = await newKey(pool, tenant, 'operator');
    expect((await make({ url }, operator)).status).toBe(403);
    expect((await call('GET', '', undefined, operator)).status).toBe(403);
    const elsewhere = await newKey(pool, tenant, 'admin', { scopes: ['crawls'] });
    expect((await make({ url }, elsewhere)).status).toBe(403);
    const here = await newKey(pool, tenant, 'admin', { scopes: ['webhooks'] });
    expect((await make({ url }, here)).status).toBe(201);
  });

  it('is changed, unless somebody else was first', async () => {
    const { body, headers } = await make();
    const tag = headers.get('etag') ?? '';
    const edits = await Promise.all(
      ['https://a.example/', 'https://b.example/'].map((to) =>
        withTag('PATCH', `/${body.id}`, tag, { url: to }),
      ),
    );
    expect(edits.map(({ status }) => status).sort()).toEqual([200, 412]);
    const kept = await call('GET', `/${body.id}`);
    const stale = edits.find(({ status }) => status === 412);
    expect(stale?.headers.get('etag')).toBe(kept.headers.get('etag'));
    expect((await withTag('DELETE', `/${body.id}`, tag)).status).toBe(412);
    const kinds = ['crawl.finished'];
    expect((await call('PATCH', `/${body.id}`, { kinds })).body.kinds).toEqual(kinds);
    expect((await call('PATCH', `/${body.id}`, { kinds: null })).body.kinds).toBeNull();
    const off = (await call('PATCH', `/${body.id}`, { enabled: false })).body;
    expect(off).toMatchObject({ enabled: false, disabledReason: 'an admin disabled it' });
    const on = (await call('PATCH', `/${body.id}`, { enabled: true })).body;
    expect(on).toMatchObject({ enabled: true, disabledAt: null, disabledReason: null });
    for (const bad of [{}, { url: 'x' }, { crawlId: '1' }, { enabled: 1 }])
      expect((await call('PATCH', `/${body.id}`, bad)).status).toBe(422);
  });

  it('is deleted with all that waits for it', async () => {
    const crawl = await newCrawl(pool);
    const { body } = await make({ url }, api.key);
    await setCrawlState(pool, Number(crawl), 'running', null, null);
    expect((await call('GET', `/${body.id}`, undefined, api.key)).body.pendingCrawls).toBe(1);
    expect((await call('DELETE', `/${body.id}`, undefined, api.key)).status).toBe(200);
    expect((await call('GET', `/${body.id}`, undefined, api.key)).status).toBe(404);
    expect(await tables.cursor.count(pool, { webhook_id: body.id })).toBe(0);
    await setCrawlState(pool, Number(crawl), 'paused', 'asked', null);
  });

  it('is not made twice by a request that is sent twice, nor is its secret kept for that', async () => {
    const send = () =>
      fetch(`${api.url}/v1/webhooks`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${admin}`,
          'content-type': 'application/json',
          'idempotency-key': 'once',
        },
        body: JSON.stringify({ url }),
      });
    const { secret } = (await (await send()).json()) as CreatedWebhook;
    expect((await send()).status).toBe(409);
    expect((await call<{ items: unknown[] }>('GET', '')).body.items.length).toBe(1);
    expect(JSON.stringify(await tables.answer.rows(pool))).not.toContain(secret);
  });
});

describe('a replay', () => {
  it('says from where, of a crawl that is the webhook’s', async () => {
    const crawl = await newCrawl(pool);
    const other = await newCrawl(pool);
    const { body } = await make({ url, crawlId: crawl }, api.key);
    const ask = (wanted: object) =>
      call<{ crawls: number } & Problem>('POST', `/${body.id}/replay`, wanted, api.key);
    for (const bad of [
      {},
      { after: '0' },
      { crawlId: crawl, after: '0', since: '2026-01-01T00:00:00Z' },
      { since: 'x' },
      { since: '0000-01-01T00:00:00Z' },
      { since: `2026-01-01T00:00:00.${'1'.repeat(200)}Z` },
      { crawlId: other, after: '0' },
    ])
      expect((await ask(bad)).status).toBe(422);
    expect((await ask({ crawlId: '999999', after: '0' })).status).toBe(404);
    expect((await ask({ crawlId: crawl, after: '0' })).body).toEqual({ crawls: 1 });
    expect((await ask({ crawlId: crawl, after: '1' })).body).toEqual({ crawls: 0 });
    expect((await ask({ since: '2100-01-01T00:00:00Z' })).body).toEqual({ crawls: 0 });
    expect((await ask({ since: '2020-01-01T00:00:00Z' })).body).toEqual({ crawls: 1 });
    expect(await tables.cursor.rows(pool, { webhook_id: body.id })).toMatchObject([{ settled: 0, last: 1 }]);
  });
});

describe('events and cursors', () => {
  it('are written together, whoever writes at the same time, and a replay does not lose one', async () => {
    const crawls = await Promise.all(Array.from({ length: 4 }, () => newCrawl(pool)));
    const { body } = await make({ url }, api.key);
    const second = (await make({ url }, api.key)).body;
    const move = (crawl: string, index: number) =>
      setCrawlState(pool, Number(crawl), index % 2 === 0 ? 'running' : 'paused', 'asked', null);
    await Promise.all([
      ...crawls.map(async (crawl) => {
        for (let index = 0; index < 20; index++) await move(crawl, index);
      }),
      (async () => {
        for (let index = 0; index < 10; index++)
          await call('POST', `/${body.id}/replay`, { since: '2020-01-01T00:00:00Z' }, api.key);
        await call('DELETE', `/${second.id}`, undefined, api.key);
      })(),
    ]);
    const rows = await tables.cursor.rows(pool, { webhook_id: body.id, crawl_id: crawls });
    expect(rows).toMatchObject(crawls.map(() => ({ settled: 0, last: 21 })));
  });
});
