/** ETag, If-Match and If-None-Match (RFC 9110 sections 8.8.3, 13.1.1 and 13.1.2) on what is edited. */
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../contracts/http/problem.ts';
import { ifMatch } from '../../../api/routes/answers.ts';
import { routes } from '../../../api/routes/table.ts';
import { addHost, tables } from '../../support/database/index.ts';
import { newTenant } from './asking.ts';
import { newCrawl, withApi } from './world.ts';

const { pool, api } = withApi();

interface Editable {
  readonly read: string;
  readonly edit: string;
  /** A change that can be seen in the answer. */
  readonly change: (value: number) => object;
  readonly valueOf: (body: never) => number | null;
}
let made = 0;
const kinds: Readonly<Record<string, () => Promise<Editable>>> = {
  'a tenant': async () => {
    const id = await newTenant(pool);
    return {
      read: `/v1/tenants/${id}`,
      edit: `/v1/tenants/${id}`,
      change: (value) => ({ quotas: { crawlsAtOnce: value } }),
      valueOf: (body: { quotas: { crawlsAtOnce: number | null } }) => body.quotas.crawlsAtOnce,
    };
  },
  'the settings of a host': async () => {
    const origin = `https://h${String(++made)}.example`;
    await addHost(pool, origin);
    const read = `/v1/hosts/${encodeURIComponent(origin)}`;
    return {
      read,
      edit: `${read}/settings`,
      change: (value) => ({ delaySeconds: value }),
      valueOf: (body: { settings: { delaySeconds: number | null } }) => body.settings.delaySeconds,
    };
  },
};

const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(api.url + path, { headers });
const patch = (path: string, body: object, ifMatch?: string): Promise<Response> =>
  fetch(api.url + path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
    body: JSON.stringify(body),
  });
const tagOf = (response: Response): string => response.headers.get('etag') ?? '';
const value = async ({ read, valueOf }: Editable): Promise<number | null> =>
  valueOf((await (await get(read)).json()) as never);

describe.each(Object.entries(kinds))('%s', (_name, make) => {
  it('has a strong ETag, and 304 for whoever knows it', async () => {
    const thing = await make();
    const first = await get(thing.read);
    const tag = tagOf(first);
    expect(tag).toMatch(/^"\d+\.[\w-]{22}"$/);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    // Section 13.1.2: compared weakly; any of a list; `*` is any that is there.
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await get(thing.read, { 'if-none-match': known });
      expect([again.status, tagOf(again), await again.text()], known).toEqual([304, tag, '']);
    }
    const other = await get(thing.read, { 'if-none-match': '"other"' });
    expect([other.status, tagOf(other)]).toEqual([200, tag]);
    const edited = await patch(thing.edit, thing.change(3));
    expect(edited.status).toBe(200);
    expect(tagOf(edited)).not.toBe(tag);
    expect((await get(thing.read, { 'if-none-match': tag })).status).toBe(200);
  });

  it('is edited by whoever knows its state, and by no other', async () => {
    const thing = await make();
    const before = tagOf(await get(thing.read));
    const edited = await patch(thing.edit, thing.change(3), `"foreign,with-a-comma" , ${before}`);
    expect(edited.status).toBe(200);
    const stale = await patch(thing.edit, thing.change(4), before);
    expect(stale.status).toBe(412);
    expect(stale.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const problem = (await stale.json()) as Problem;
    expect(problem).toMatchObject({
      type: 'urn:orbweaver:problem:precondition-failed',
      detail: expect.stringMatching(/changed nothing.*Read the resource again/s) as string,
      etag: tagOf(stale),
    });
    expect(await value(thing)).toBe(3);
    // The answer tells what would hold.
    expect((await patch(thing.edit, thing.change(5), tagOf(stale))).status).toBe(200);
    // So does the answer of an edit.
    const known = tagOf(await patch(thing.edit, thing.change(6), tagOf(edited)));
    expect((await patch(thing.edit, thing.change(6), known)).status).toBe(200);
    expect(await value(thing)).toBe(6);
  });

  it('is edited by all who ask for no state', async () => {
    const thing = await make();
    expect((await patch(thing.edit, thing.change(7))).status).toBe(200);
    expect((await patch(thing.edit, thing.change(8), '*')).status).toBe(200);
    expect(await value(thing)).toBe(8);
  });

  it('is edited by exactly one of many who know the same state', async () => {
    const thing = await make();
    const tag = tagOf(await get(thing.read));
    const editors = Array.from({ length: 8 }, (_, index) => patch(thing.edit, thing.change(index + 1), tag));
    const statuses = (await Promise.all(editors)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(7);
    expect(await value(thing)).toBe(statuses.indexOf(200) + 1);
  });

  it.each(['W/"0.x"', '"0"', '"0.x y"', '"99.abc"', '"-1.abc"'])('is not edited with %s', async (tag) => {
    const thing = await make();
    const refused = await patch(thing.edit, thing.change(9), tag);
    expect([400, 412]).toContain(refused.status);
    expect(await value(thing)).toBeNull();
  });

  it.each(['', '0.x', '"open', 'W/', '"a" "b', Array.from({ length: 101 }, () => '"a"').join()])(
    'is not edited where If-Match holds no list of tags: %j',
    async (field) => {
      const thing = await make();
      const refused = await patch(thing.edit, thing.change(9), field);
      expect(refused.status).toBe(400);
      expect(((await refused.json()) as Problem).detail).toMatch(/^If-Match: must be \* or 1 to 100 ETags/);
      expect(await value(thing)).toBeNull();
    },
  );
});

describe('what is not there', () => {
  it('meets no If-Match: no host is made by it', async () => {
    const path = `/v1/hosts/${encodeURIComponent('https://unmet.example')}`;
    for (const tag of ['*', '"0.abc"']) {
      const refused = await patch(`${path}/settings`, { delaySeconds: 1 }, tag);
      expect([refused.status, refused.headers.get('etag')]).toEqual([412, null]);
    }
    expect((await get(path)).status).toBe(404);
    expect((await patch('/v1/tenants/999', { quotas: {} }, '*')).status).toBe(404);
  });
});

describe('a route that compares no versions', () => {
  const takers = [
    ...['PATCH /v1/crawls/{crawlId}', 'POST /v1/crawls/{crawlId}/versions/{version}/restore'],
    ...[
      'PATCH /v1/hosts/{origin}/settings',
      'PATCH /v1/webhooks/{webhookId}',
      'DELETE /v1/webhooks/{webhookId}',
    ],
    'PATCH /v1/tenants/{tenantId}',
  ];
  const named = routes
    .filter(({ docs }) => docs !== null)
    .map((each) => ({ ...each, route: `${each.method} ${each.path}` }));

  it('is any but these', () => {
    const taking = named.filter(({ docs }) => docs?.header === ifMatch).map(({ route }) => route);
    expect(taking.sort()).toEqual(takers.sort());
  });

  it('refuses an If-Match, and does nothing', async () => {
    const crawl = await newCrawl(pool);
    for (const { method, path, route } of named) {
      if (takers.includes(route)) continue;
      const at = path.replace('{crawlId}', crawl).replace(/\{\w+\}/g, '1');
      const refused = await fetch(api.url + at, { method, headers: { 'if-match': '"0.abc"' } });
      // Some routes have words of their own for a problem.
      expect([refused.status, await refused.text()], route).toEqual([
        400,
        expect.stringContaining('If-Match: this route compares no versions'),
      ]);
    }
    expect((await tables.crawl.row(pool, { id: crawl })).removed_at).toBeNull();
  });
});

describe('the own tenant', () => {
  it('has the ETag of the tenant', async () => {
    expect(tagOf(await get('/v1/tenant'))).toBe(tagOf(await get('/v1/tenants/1')));
  });
});
