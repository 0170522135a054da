/** The audit log: who asked for which change, noted before it is done. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { auditList, type AuditEntry } from '../../../contracts/http/audit.ts';
import type { CreatedCrawl } from '../../../contracts/http/crawls.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import { tidyAudit } from '../../../storage/tenancy/index.ts';
import { createPool } from '../../../storage/postgres/index.ts';
import { fromNow, like, refuseRows, tables } from '../../support/database/index.ts';
import { until } from '../../support/until.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { noteTaker, serve, withServices, withServed } from './world.ts';

const services = withServices();
const { pool } = services;
const api = withServed(pool, { anonymous: true });
/** Of a tenant of each test's own. */
const someone = async () => {
  const tenant = await newTenant(pool);
  const [admin, operator, reader] = [
    await newKey(pool, tenant, 'admin'),
    await newKey(pool, tenant, 'operator'),
    await newKey(pool, tenant, 'reader'),
  ];
  return { tenant, admin, operator, reader };
};

const crawl = { seeds: ['https://a.example/'] };
interface Page {
  readonly items: readonly AuditEntry[];
  readonly next: string | null;
}
const read = async (admin: string, query = ''): Promise<Page> => {
  const { status, body } = await ask<Page>(api.url, admin, 'GET', `/v1/audit-log${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(auditList.parse(body)).toEqual(body);
  return body;
};
const short = ({ method, target, status }: AuditEntry): string =>
  `${method} ${target} ${String(status ?? 'begun')}`;

describe('what is noted', () => {
  it('is each change, with who, what and how it was answered; no reading, no body, no key', async () => {
    const { admin, operator, reader } = await someone();
    const id = randomUUID();
    const created = await fetch(`${api.url}/v1/crawls?note=secret-in-query`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${operator}`,
        'content-type': 'application/json',
        'x-request-id': id,
      },
      body: JSON.stringify({ ...crawl, label: 'secret-in-body' }),
    });
    expect(created.status).toBe(201);
    const crawlId = ((await created.json()) as CreatedCrawl).id;
    await ask(api.url, operator, 'GET', `/v1/crawls/${crawlId}`);
    await ask(api.url, reader, 'POST', `/v1/crawls/${crawlId}/pause`);
    await ask(api.url, operator, 'POST', '/v1/crawls', { '?': 1 });
    await ask(api.url, operator, 'POST', `/v1/crawls/999${admin}/cancel`);
    await ask(api.url, operator, 'POST', '/v1/url/scan', { root_url: 'no url' });
    const { items } = await read(admin);
    expect(items.map(short)).toEqual([
      expect.stringMatching(/^POST \/v1\/url\/scan 4\d\d$/) as string,
      'POST /v1/crawls/999[key]/cancel 404',
      'POST /v1/crawls 422',
      `POST /v1/crawls/${crawlId}/pause 403`,
      'POST /v1/crawls 201',
    ]);
    expect(items.map(({ route }) => route).slice(1, 4)).toEqual([
      '/v1/crawls/{crawlId}/cancel',
      '/v1/crawls',
      '/v1/crawls/{crawlId}/pause',
    ]);
    expect(items.map(({ role }) => role)).toEqual(['operator', 'operator', 'operator', 'reader', 'operator']);
    expect(items.at(-1)).toMatchObject({
      actor: expect.stringMatching(/^key [\da-f-]{36}$/) as string,
      requestId: id,
      detail: `created /v1/crawls/${crawlId}`,
    });
    expect(items[3]?.actor).not.toBe(items[4]?.actor);
    const rows = await tables.audit.rows(pool);
    expect(JSON.stringify(rows)).not.toMatch(/secret-in|owk_/);
  });

  it('is each body, export and file that is taken, though not what only asks how large it is', async () => {
    const { admin, operator, reader } = await someone();
    const { body } = await ask<CreatedCrawl>(api.url, operator, 'POST', '/v1/crawls', crawl);
    const base = `/v1/crawls/${body.id}`;
    for (const of of [`/export`, `/body?url=https://a.example/secret-in-query`, '/exports/1/file', '/pages'])
      await ask(api.url, reader, 'GET', base + of);
    await ask(api.url, reader, 'HEAD', `${base}/export`);
    const taken = ['/exports/1/file 404', '/body 404', '/export 200'].map((of) => `GET ${base}${of}`);
    expect((await read(admin)).items.map(short)).toEqual([...taken, 'POST /v1/crawls 201']);
    expect((await read(admin, '?method=GET')).items.map(short)).toEqual(taken);
    expect((await read(admin)).items[0]).toMatchObject({ role: 'reader', times: 1, lastAt: null });
  });

  it('is one entry for the leases of no URL that a fetcher asked for within an hour', async () => {
    const { tenant, admin, operator } = await someone();
    const other = await newKey(pool, tenant, 'operator');
    const lease = async (key: string, shard: number): Promise<void> => {
      const wanted = { fetcher_id: 'idle', batch_size: 10, lease_seconds: 30 };
      const { status } = await ask(api.url, key, 'POST', `/frontier/${String(shard)}/lease_batch`, wanted);
      expect(status).toBe(200);
    };
    const counts = async () =>
      (await read(admin)).items.map(({ actor, status, detail, times }) => ({ actor, status, detail, times }));
    for (let poll = 0; poll < 20; poll++) await lease(operator, poll % 2);
    await lease(other, 0);
    // An hour may have begun in between.
    const before = await counts();
    expect(new Set(before.map(({ actor }) => actor)).size).toBe(2);
    expect(before.length).toBeLessThanOrEqual(3);
    expect(before.reduce((sum, { times }) => sum + times, 0)).toBe(21);
    expect(before[0]).toMatchObject({ status: 200, detail: 'no URL could be lent', times: 1 });
    await tables.audit.change(pool, { tenant_id: tenant }, { hour: fromNow(-7_200) });
    await lease(operator, 0);
    expect(await counts()).toEqual([{ ...before.at(-1), times: 1 }, ...before]);
    // A refused one is an entry of its own.
    await ask(api.url, operator, 'POST', '/frontier/0/lease_batch', { '?': 1 });
    expect((await read(admin)).items[0]).toMatchObject({ status: 422, times: 1 });
  });

  it('is what fetchers send as well', async () => {
    const { admin, operator } = await someone();
    const routes = ['/frontier/{shard}/lease_batch', '/frontier/{shard}/ack', '/dedup/check_and_add'];
    for (const route of routes)
      await ask(api.url, operator, 'POST', route.replace('{shard}', '0'), { '?': 1 });
    const { items } = await read(admin);
    expect(items.map(({ route, status }) => ({ route, status }))).toEqual(
      routes.toReversed().map((route) => ({ route, status: 422 })),
    );
  });

  it('is not what nobody known sends', async () => {
    const { admin, operator } = await someone();
    expect((await ask(api.url, `${admin}x`, 'POST', '/v1/crawls', crawl)).status).toBe(401);
    expect((await ask(api.url, operator, 'PUT', '/v1/crawls', crawl)).status).toBe(405);
    expect((await read(admin)).items).toEqual([]);
  });

  it('is noted before it is done: whoever dies in between leaves a trace', async () => {
    const { admin, operator } = await someone();
    let go = (): void => undefined;
    const stuck = new Promise<void>((resolve) => (go = resolve));
    let reached = false;
    const slow = await serve(pool, {
      control: {
        ...noteTaker(pool),
        start: () => {
          reached = true;
          return stuck;
        },
      },
      anonymous: true,
    });
    const asked = ask(slow.url, operator, 'POST', '/v1/crawls', crawl);
    await until('the crawl is being started', () => reached);
    expect((await read(admin)).items).toMatchObject([{ route: '/v1/crawls', status: null, detail: null }]);
    go();
    expect((await asked).status).toBe(201);
    expect((await read(admin)).items).toMatchObject([{ route: '/v1/crawls', status: 201 }]);
    await slow.stop();
  });

  it('has the status of what was done, though whoever asked had gone', async () => {
    const { admin, operator } = await someone();
    let go = (): void => undefined;
    const stuck = new Promise<void>((resolve) => (go = resolve));
    let reached = false;
    const start = (): Promise<void> => {
      reached = true;
      return stuck;
    };
    const slow = await serve(pool, { control: { ...noteTaker(pool), start }, anonymous: true }); // prettier-ignore
    const gone = new AbortController();
    const asked = fetch(`${slow.url}/v1/crawls`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
      body: JSON.stringify(crawl),
      signal: gone.signal,
    }).catch(() => 'gone');
    await until('the crawl is being started', () => reached);
    gone.abort();
    expect(await asked).toBe('gone');
    go();
    await until('its status is noted', async () => (await read(admin)).items[0]?.status === 201);
    await slow.stop();
  });

  it('says where a request was only answered again', async () => {
    const { admin, operator } = await someone();
    const send = () =>
      fetch(`${api.url}/v1/crawls`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${operator}`,
          'content-type': 'application/json',
          'idempotency-key': 'once',
        },
        body: JSON.stringify(crawl),
      });
    await send();
    expect((await send()).status).toBe(201);
    expect((await read(admin)).items.map(({ status, detail }) => [status, detail])).toEqual([
      [201, 'answered again; nothing was done'],
      [201, expect.stringMatching(/^created /)],
    ]);
  });

  it('has what was changed, by name', async () => {
    const { tenant } = await someone();
    const instance = await newKey(pool, '1', 'admin');
    const host = `/v1/hosts/${encodeURIComponent('https://noted.example')}/settings`;
    await ask(api.url, instance, 'PATCH', host, { delaySeconds: 2, quotaPerDay: 77_777 });
    const target = `/v1/tenants/${tenant}`;
    await ask(api.url, instance, 'PATCH', target, { name: 'noted', quotas: { crawlsAtOnce: 5 } });
    const { items } = await read(instance, '?method=PATCH');
    expect(items.map(({ route, target, detail }) => [route, target, detail])).toEqual([
      ['/v1/tenants/{tenantId}', target, 'revision 1: name, crawlsAtOnce'],
      ['/v1/hosts/{origin}/settings', host, 'revision 1: delaySeconds, quotaPerDay'],
    ]);
  });

  it('refuses what it cannot note: nothing is done unseen', async () => {
    const { admin, operator } = await someone();
    const crawls = () => tables.crawl.count(services.pool);
    const before = await crawls();
    // As on a full disk: reading works, writing does not.
    const pool = createPool(services.world.databaseUrl, 4, () => undefined);
    const full = await refuseRows(services.pool, 'audit_log');
    try {
      const blind = await serve(pool, { anonymous: true });
      const refused = await ask<Problem>(blind.url, operator, 'POST', '/v1/crawls', crawl);
      expect([refused.status, refused.body.detail]).toEqual([
        503,
        'The audit log cannot be written, so nothing was done. Try again soon.',
      ]);
      expect((await ask(blind.url, operator, 'GET', '/v1/crawls')).status).toBe(200);
      await blind.stop();
    } finally {
      await full.allow();
      await pool.end();
    }
    expect(await crawls()).toEqual(before);
    expect((await read(admin)).items).toEqual([]);
  });
});

describe('what is read', () => {
  it('is found by actor, method, time and the beginning of the path', async () => {
    const { admin, operator } = await someone();
    const made = await ask<CreatedCrawl>(api.url, operator, 'POST', '/v1/crawls', crawl);
    const key = await ask<{ id: string }>(api.url, admin, 'POST', '/v1/keys', { name: 'x', role: 'reader' });
    await ask(api.url, admin, 'DELETE', `/v1/keys/${key.body.id}`);
    await ask(api.url, operator, 'POST', `/v1/crawls/${made.body.id}/pause`);
    const { items } = await read(admin);
    const all = items.map(short);
    expect(all).toHaveLength(4);
    const [pause, revoke, create] = items;
    const found = async (query: Record<string, string>): Promise<string[]> =>
      (await read(admin, `?${new URLSearchParams(query).toString()}`)).items.map(short);
    expect(await found({ method: 'DELETE' })).toEqual([all[1]]);
    expect(await found({ actor: pause?.actor ?? '' })).toEqual([all[0], all[3]]);
    expect(await found({ target: '/v1/keys' })).toEqual([all[1], all[2]]);
    expect(await found({ target: '/v1/%' })).toEqual([]);
    expect(await found({ since: revoke?.at ?? '' })).toEqual(expect.arrayContaining([all[0]]));
    expect(await found({ until: create?.at ?? '' })).toEqual([all[3]]);
    expect(await found({ since: '2999-01-01T00:00:00Z' })).toEqual([]);
  });

  it('goes on from page to page, newest first', async () => {
    const { admin, operator } = await someone();
    for (let index = 0; index < 5; index++)
      await ask(api.url, operator, 'POST', `/v1/crawls/${String(900 + index)}/pause`);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page = await read(admin, `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      // The numbers of entries would tell how much others do.
      expect(page.next ?? '').not.toMatch(/^\d+$/);
      seen.push(...page.items.map(({ target }) => target));
      cursor = page.next;
    }
    expect(seen).toEqual([904, 903, 902, 901, 900].map((id) => `/v1/crawls/${String(id)}/pause`));
  });

  it('is for admins, and of their own tenant', async () => {
    const [one, other] = [await someone(), await someone()];
    await ask(api.url, one.operator, 'POST', '/v1/crawls', crawl);
    expect((await read(other.admin)).items).toEqual([]);
    // Nor do the admins of the instance see it there.
    const instance = await newKey(pool, '1', 'admin');
    expect((await read(instance)).items.filter(({ role }) => role === 'operator')).toEqual([]);
    for (const token of [one.operator, one.reader])
      expect((await ask(api.url, token, 'GET', '/v1/audit-log')).status).toBe(403);
  });

  it.each([
    '?actor=',
    '?actor=%00',
    '?method=HEAD',
    '?since=yesterday',
    '?since=0000-01-01T00:00:00Z',
    `?until=2026-01-01T00:00:00.${'1'.repeat(200)}Z`,
    '?cursor=1',
    '?limit=0',
    '?what=1',
  ])('is refused with %s', async (query) => {
    const { admin } = await someone();
    expect((await ask(api.url, admin, 'GET', `/v1/audit-log${query}`)).status).toBe(400);
  });
});

describe('the log', () => {
  it('keeps what was done to keys, tenants and webhooks, and what was deleted, whatever else floods it', async () => {
    const { tenant, admin, operator } = await someone();
    const { body: key } = await ask<{ id: string }>(api.url, admin, 'POST', '/v1/keys', { name: 'x', role: 'reader' }); // prettier-ignore
    await ask(api.url, admin, 'DELETE', `/v1/keys/${key.id}`);
    const { body: made } = await ask<CreatedCrawl>(api.url, operator, 'POST', '/v1/crawls', crawl);
    await ask(api.url, operator, 'POST', `/v1/crawls/${made.id}/cancel`);
    await ask(api.url, operator, 'DELETE', `/v1/crawls/${made.id}`);
    // Refused: not deleted.
    await ask(api.url, operator, 'DELETE', '/v1/crawls/999');
    const flood = Array.from({ length: 6 }, (_, at) => `/v1/crawls/${String(at)}/pause`);
    for (const each of flood) await ask(api.url, operator, 'POST', each);
    while ((await tidyAudit(pool, Number(tenant), 2)) > 0);
    const kept = [`DELETE /v1/crawls/${made.id} 202`, `DELETE /v1/keys/${key.id} 200`, 'POST /v1/keys 201'];
    expect((await read(admin)).items.map(short)).toEqual([
      'POST /v1/crawls/5/pause 404',
      'POST /v1/crawls/4/pause 404',
      ...kept,
    ]);
    const days = 24 * 3_600;
    await tables.audit.change(pool, { tenant_id: tenant, target: '/v1/keys' }, { at: fromNow(-401 * days) });
    await tables.audit.change(pool, { tenant_id: tenant, target: `/v1/keys/${key.id}` }, { at: fromNow(-399 * days) }); // prettier-ignore
    while ((await tidyAudit(pool, Number(tenant), 0)) > 0);
    expect((await read(admin)).items.map(short)).toEqual(kept.slice(0, 2));
  });

  it('keeps entries of work however many downloads come, and bounds those of security as well', async () => {
    const { tenant, admin, operator, reader } = await someone();
    await ask(api.url, operator, 'POST', '/v1/crawls/900/pause');
    const taken = (at: number): string => `/v1/crawls/${String(900 + at)}/export`;
    for (let at = 0; at < 4; at++) await ask(api.url, reader, 'GET', taken(at));
    for (let at = 0; at < 4; at++) await ask(api.url, admin, 'POST', '/v1/keys', { name: 'x', role: 'reader' }); // prettier-ignore
    while ((await tidyAudit(pool, Number(tenant), 2, 3)) > 0);
    expect((await read(admin)).items.map(short)).toEqual([
      ...Array.from({ length: 3 }, () => 'POST /v1/keys 201'),
      `GET ${taken(3)} 404`,
      `GET ${taken(2)} 404`,
      'POST /v1/crawls/900/pause 404',
    ]);
  });

  it('is bounded by age and by number, each tenant for itself', async () => {
    const [one, other] = [await someone(), await someone()];
    for (const { operator } of [one, other])
      for (let index = 0; index < 4; index++)
        await ask(api.url, operator, 'POST', `/v1/crawls/${String(index)}/pause`);
    expect(await tidyAudit(pool, Number(one.tenant), 4)).toBe(0);
    expect(await tidyAudit(pool, Number(one.tenant), 3)).toBe(1);
    const targets = async (admin: string): Promise<string[]> =>
      (await read(admin)).items.map(({ target }) => target);
    expect(await targets(one.admin)).toEqual([3, 2, 1].map((id) => `/v1/crawls/${String(id)}/pause`));
    expect(await targets(other.admin)).toHaveLength(4);
    await tables.audit.change(
      pool,
      { tenant_id: other.tenant, target: like('%/0/pause') },
      { at: fromNow(-401 * 24 * 3_600) },
    );
    expect(await tidyAudit(pool, Number(one.tenant))).toBe(1);
    expect(await targets(other.admin)).toHaveLength(3);
  });
});
