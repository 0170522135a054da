/** Nothing of another tenant can be seen, counted or guessed (F36). */
import { beforeAll, describe, expect, it } from 'vitest';
import { accessTable } from '../../support/access-table.ts';
import type { CrawlSummary, CreatedCrawl } from '../../../contracts/http/crawls.ts';
import type { CrawlTimeView } from '../../../contracts/http/crawl-time.ts';
import type { Explanation } from '../../../contracts/http/explain.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import type { TenantDetail, TenantView } from '../../../contracts/tenancy.ts';
import {
  addUrl,
  changeHost,
  crawlState,
  fromNow,
  hostParked,
  robotsRead,
  setState,
  tables,
} from '../../support/database/index.ts';
import { ask, newKey, newTenant, type Answer } from './asking.ts';
import { addPage, newCrawl, withApi } from './world.ts';

const { pool, api } = withApi({ anonymous: true });
let tenants: { first: string; second: string };
let admins: { instance: string; first: string; second: string };

beforeAll(async () => {
  tenants = { first: await newTenant(pool), second: await newTenant(pool) };
  admins = {
    instance: await newKey(pool, '1', 'admin'),
    first: await newKey(pool, tenants.first, 'admin'),
    second: await newKey(pool, tenants.second, 'admin'),
  };
});

async function create(key: string, seeds = 'https://a.example/'): Promise<string> {
  const { status, body } = await ask<CreatedCrawl>(api.url, key, 'POST', '/v1/crawls', { seeds });
  expect(status).toBe(201);
  return body.id;
}

interface List<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

const content = { title: 't', text: 'one two', links: [] };

describe('a crawl of another tenant', () => {
  const ofCrawls = Object.keys(accessTable)
    .filter((route) => route.includes('{crawlId}'))
    .map((route) => route.split(' ') as [string, string]);

  it.each(ofCrawls)('%s %s: is as unknown as one that never was', async (method, path) => {
    const theirs = await create(admins.second);
    await setState(pool, theirs, 'running', null);
    await addPage(pool, theirs, 'https://a.example/', content);
    const never = '999999999999999';
    const answers: Answer<Problem>[] = [];
    for (const [key, id] of [
      [admins.first, theirs],
      [admins.first, never],
      [admins.instance, theirs],
    ] as const) {
      const where = `${path.replace('{crawlId}', id)}${path.endsWith('explain') ? '?url=https://a.example/' : ''}`;
      answers.push(await ask(api.url, key, method, where, method === 'POST' ? {} : undefined));
    }
    const [first, unknown, instance] = answers;
    for (const answer of answers) expect(answer.status).toBe(404);
    expect(first?.body.detail.replace(theirs, never)).toBe(unknown?.body.detail);
    const said = ({ requestId: _, ...rest }: Partial<Problem> = {}): Partial<Problem> => rest;
    expect(said(instance?.body)).toEqual(said(first?.body));
    const names = (answer?: Answer<unknown>): string[] =>
      [...(answer?.headers.keys() ?? [])].filter((name) => !name.startsWith('ratelimit'));
    expect(names(first)).toEqual(names(unknown));
    expect(await crawlState(pool, theirs)).toBe('running');
  });

  it('is neither listed nor counted', async () => {
    const mine = await create(admins.first);
    await create(admins.second);
    await newCrawl(pool);
    const { body } = await ask<List<CrawlSummary>>(api.url, admins.first, 'GET', '/v1/crawls?limit=100');
    expect(body.items.map(({ id }) => id)).toContain(mine);
    const rows = await tables.crawl.rows(pool, { tenant_id: tenants.first });
    expect(body.items.map(({ id }) => id)).toEqual(rows.map(({ id }) => String(id)).reverse());
  });

  it('leaves no gap in the numbers of the first tenant, and nothing to be told from one’s own ids', async () => {
    const before = Number(await newCrawl(pool));
    const theirs = [await create(admins.first), await create(admins.second), await create(admins.first)];
    expect(Number(await newCrawl(pool))).toBe(before + 1);
    for (const id of theirs) expect(id).toMatch(/^\d{15}$/);
    // Newest first still holds.
    expect(theirs.toSorted()).toEqual(theirs);
  });

  it('lends no cursor: neither of its pages nor of the list', async () => {
    const ids = { first: await create(admins.first), second: await create(admins.second) };
    for (const id of [ids.first, ids.second]) {
      for (const page of ['1', '2', '3']) await addPage(pool, id, `https://a.example/${page}`, content);
      await setState(pool, id, 'finished', 'complete');
    }
    await create(admins.first);
    await create(admins.second);
    const cursorOf = async (key: string, path: string): Promise<string> =>
      (await ask<List<unknown>>(api.url, key, 'GET', path)).body.next ?? '';
    const statusOf = async (key: string, path: string): Promise<number> =>
      (await ask(api.url, key, 'GET', path)).status;
    const list = '/v1/crawls?limit=1';
    const pages = (id: string): string => `/v1/crawls/${id}/pages?limit=1`;

    const theirs = await cursorOf(admins.second, list);
    const theirPages = await cursorOf(admins.second, pages(ids.second));
    expect(await statusOf(admins.second, `${list}&cursor=${theirs}`)).toBe(200);
    expect(await statusOf(admins.second, `${pages(ids.second)}&cursor=${theirPages}`)).toBe(200);
    for (const cursor of [theirs, theirPages, ids.second, ids.first]) {
      expect(await statusOf(admins.first, `${list}&cursor=${cursor}`)).toBe(400);
      expect(await statusOf(admins.first, `${pages(ids.first)}&cursor=${cursor}`)).toBe(400);
    }
    // What a cursor holds, numbers of hosts among it, cannot be read either.
    expect(Buffer.from(theirPages, 'base64url').toString('latin1')).not.toMatch(/^\d+\.\d+\./);
  });

  it('does not show in what explain says of a host both crawl', async () => {
    const origin = 'https://shared.example';
    const mine = await create(admins.first, `${origin}/`);
    const theirs = await create(admins.second, `${origin}/`);
    for (const id of [mine, theirs]) {
      await setState(pool, id, 'running', null);
      for (const page of ['1', '2', '3']) await addUrl(pool, id, `${origin}/${page}`);
    }
    const { body } = await ask<Explanation>(
      api.url, admins.first, 'GET', `/v1/crawls/${mine}/explain?url=${origin}/3`,
    ); // prettier-ignore
    expect(JSON.stringify(body)).not.toMatch(/take turns/);
    const again = await create(admins.first, `${origin}/`);
    await setState(pool, again, 'running', null);
    for (const page of ['1', '2', '3']) await addUrl(pool, again, `${origin}/${page}`);
    const all = await Promise.all(
      ['1', '2', '3'].map((page) =>
        ask<Explanation>(api.url, admins.first, 'GET', `/v1/crawls/${mine}/explain?url=${origin}/${page}`),
      ),
    );
    expect(all.map((each) => JSON.stringify(each.body)).join()).toMatch(/2 crawls take turns/);
  });
});

it('a host that has refused all requests of a tenant tells it nothing that others have learned there', async () => {
  const origin = 'https://refused.example';
  const crawl = await create(admins.second, `${origin}/`);
  await setState(pool, crawl, 'running', null);
  const explained = async (): Promise<string> => {
    const path = `/v1/crawls/${crawl}/explain?url=${origin}/secret/1`;
    const { body } = await ask<Explanation>(api.url, admins.second, 'GET', path);
    expect(body.record).toMatchObject({ state: 'queued' });
    const { summary, decisions, robots, next } = body;
    return JSON.stringify([summary, decisions, robots, next]).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then');
  };
  const { hostId } = await addUrl(pool, crawl, `${origin}/secret/1`);
  await changeHost(pool, origin, { fed: true });
  const heldUp = async (): Promise<readonly unknown[]> => {
    const { body } = await ask<CrawlTimeView>(api.url, admins.second, 'GET', `/v1/crawls/${crawl}/time`);
    const spent = body.causes.flatMap(({ cause, seconds }) => (seconds > 0 ? [cause] : []));
    return [spent, ...body.hosts.items.map(({ seconds: _, causes, ...item }) => [item, Object.keys(causes)])];
  };
  const [before, heldBefore] = [await explained(), await heldUp()];
  await robotsRead(pool, hostId, { status: 200, body: 'User-agent: *\nDisallow: /secret' });
  await changeHost(pool, origin, {
    ...{ not_before: fromNow(600), paced_until: fromNow(600), failures: 3, failing_since: fromNow(-60), last_error: 'tls: inner.corp' },
    ...{ base_delay_ms: 9_000, budget: 1, requests_used: 1, closed_until: fromNow(900) },
    ...{ slowdown: 2, took_ms: 900, eased: true, guest_until: fromNow(60), lease_token: 1, lease_until: fromNow(60) },
  }); // prettier-ignore
  expect(await explained()).toBe(before);
  expect(await heldUp()).toEqual(heldBefore);
  for (const part of ['outlook?fields=parked', 'time']) {
    const { body } = await ask(api.url, admins.second, 'GET', `/v1/crawls/${crawl}/${part}`);
    expect(JSON.stringify(body)).toContain(origin);
    expect(JSON.stringify(body)).not.toContain('inner.corp');
  }
  // Another crawl of the tenant was let go there.
  const other = await create(admins.second, `${origin}/`);
  await addUrl(pool, other, `${origin}/other`);
  await tables.queue.change(pool, { host_id: hostId, crawl_id: other }, { reached: true });
  expect(await heldUp()).toMatchObject([
    expect.anything(),
    [{ because: expect.stringContaining('inner.corp') as unknown }, {}],
  ]);
  expect(await explained()).toMatch(/forbids it to orbweaver, line 2: Disallow: \/secret/);
});

it('a host that only others crawl is to explain as one that nobody does', async () => {
  const [theirs, nobodys] = ['https://theirs.example', 'https://nobodys.example'];
  const crawl = await create(admins.second, `${theirs}/`);
  await setState(pool, crawl, 'running', null);
  const { hostId } = await addUrl(pool, crawl, `${theirs}/1`);
  await robotsRead(pool, hostId, { status: 200 });
  await hostParked(pool, hostId, { failures: 9, last_error: 'timeout: x' });
  const mine = await create(admins.first, 'https://mine.example/');
  await setState(pool, mine, 'running', null);
  const explained = async (origin: string, id = mine, key = admins.first): Promise<string> => {
    const path = `/v1/crawls/${id}/explain?url=${origin}/1`;
    const { body } = await ask<Explanation>(api.url, key, 'GET', path);
    return JSON.stringify([body.summary, body.decisions, body.robots, body.next?.because]);
  };
  const plain = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then');
  const expected = plain(await explained(nobodys)).replaceAll(nobodys, theirs);
  // Both names are as long as their lengths are told.
  const lengths = (text: string): string => text.replaceAll(/\b(?:24|25)\b/g, 'n');
  expect(lengths(plain(await explained(theirs)))).toBe(lengths(expected));
  expect(await explained(theirs, crawl, admins.second)).toContain('parked since');
});

it('opens no private addresses, which are the instance’s', async () => {
  const body = { seeds: 'http://169.254.169.254/', allowPrivate: ['169.254.0.0/16'] };
  const refused = await ask<Problem>(api.url, admins.first, 'POST', '/v1/crawls', body);
  expect(refused.status).toBe(403);
  expect(refused.body).toMatchObject({ type: 'urn:orbweaver:problem:forbidden' });
  expect(refused.body.detail).toMatch(/^allowPrivate: /);
  expect((await ask(api.url, admins.first, 'POST', '/v1/crawls', { ...body, allowPrivate: [] })).status).toBe(201); // prettier-ignore
  expect((await ask(api.url, admins.instance, 'POST', '/v1/crawls', body)).status).toBe(201);
});

it('undercuts the default delay by no crawl: that takes an operator’s leave for the host', async () => {
  const body = { seeds: 'https://fast.example/', delaySeconds: 0.999 };
  const refused = await ask<Problem>(api.url, admins.first, 'POST', '/v1/crawls', body);
  expect(refused.status).toBe(403);
  expect(refused.body.detail).toMatch(/^delaySeconds: .*operator/);
  const slower = await ask<{ id: string }>(api.url, admins.first, 'POST', '/v1/crawls', { ...body, delaySeconds: 1 }); // prettier-ignore
  expect(slower.status).toBe(201);
  const path = `/v1/crawls/${slower.body.id}`;
  expect((await ask(api.url, admins.first, 'PATCH', path, { delaySeconds: 0 })).status).toBe(403);
  expect((await ask(api.url, admins.first, 'PATCH', path, { delaySeconds: 5 })).status).toBe(200);
  expect((await ask(api.url, admins.instance, 'POST', '/v1/crawls', body)).status).toBe(201);
});

describe('/v1/tenants', () => {
  it('makes, shows, changes and closes them; the closed one’s keys are refused at once', async () => {
    const made = await ask<TenantView>(api.url, admins.instance, 'POST', '/v1/tenants', {
      name: 'Acme',
      quotas: { crawlsAtOnce: 2 },
    });
    expect(made.status).toBe(201);
    const { id } = made.body;
    expect(id).toMatch(/^\d{15}$/);
    expect(made.headers.get('location')).toBe(`/v1/tenants/${id}`);
    expect(made.body.quotas).toMatchObject({ crawlsAtOnce: 2, urlsTotal: null });
    const key = await newKey(pool, id, 'operator');
    const crawl = await create(key);
    const own = await ask<TenantDetail>(api.url, key, 'GET', '/v1/tenant');
    expect(own.body).toMatchObject({ id, name: 'Acme', used: { crawlsAtOnce: 1, crawlsPerDay: 1 } });

    const path = `/v1/tenants/${id}`;
    const changed = await ask<TenantView>(api.url, admins.instance, 'PATCH', path, {
      name: 'Acme Inc.',
      quotas: { urlsTotal: 5 },
    });
    expect(changed.body).toMatchObject({ name: 'Acme Inc.', quotas: { crawlsAtOnce: 2, urlsTotal: 5 } });
    expect((await ask(api.url, admins.instance, 'DELETE', path)).status).toBe(409);
    await setState(pool, crawl, 'cancelled', null);
    expect((await ask(api.url, key, 'GET', '/v1/crawls')).status).toBe(200);
    expect((await ask<TenantView>(api.url, admins.instance, 'DELETE', path)).body.closedAt).not.toBeNull();
    expect((await ask(api.url, key, 'GET', '/v1/crawls')).status).toBe(401);
    const late = { name: 'late', role: 'reader', tenantId: id };
    expect((await ask(api.url, admins.instance, 'POST', '/v1/keys', late)).status).toBe(404);
  });

  it.each([
    ['POST', '/v1/tenants', { name: 'default' }, 409],
    ['POST', '/v1/tenants', { name: '123' }, 422],
    ['POST', '/v1/tenants', { name: ' a' }, 422],
    ['POST', '/v1/tenants', { name: 'a\0b' }, 422],
    ['POST', '/v1/tenants', { name: 'a', quotas: { crawlsAtOnce: -1 } }, 422],
    ['POST', '/v1/tenants', { name: 'a', quotas: { wishes: 3 } }, 422],
    ['PATCH', '/v1/tenants/1', { id: 5 }, 422],
    ['GET', '/v1/tenants/42', undefined, 404],
    ['GET', '/v1/tenants/x', undefined, 404],
    ['PATCH', '/v1/tenants/42', {}, 404],
    ['DELETE', '/v1/tenants/42', undefined, 404],
    ['DELETE', '/v1/tenants/1', undefined, 409],
    ['GET', '/v1/tenants?cursor=x', undefined, 400],
  ] as const)('%s %s %j is %i', async (method, path, body, status) => {
    expect((await ask(api.url, admins.instance, method, path, body)).status).toBe(status);
  });

  it('are listed by id, each once, over cursors', async () => {
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const query: string = next === '' ? '' : `&cursor=${next}`;
      const { body }: Answer<List<TenantView>> = await ask(
        api.url, admins.instance, 'GET', `/v1/tenants?limit=1${query}`,
      ); // prettier-ignore
      seen.push(...body.items.map(({ id }) => id));
      next = body.next;
    }
    expect(seen).toEqual((await tables.tenant.rows(pool)).map(({ id }) => String(id)));
  });
});
