/** Who may use which route (F36): the table against the routes there are, and against callers of every kind. */
import { randomUUID } from 'node:crypto';
import express from 'express';
import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { routes as allRoutes } from '../../../api/routes/table.ts';
import { createJudge } from '../../../api/way-in/access.ts';
import { gate } from '../../../api/way-in/gate.ts';
import { createKeyring } from '../../../api/way-in/keyring.ts';
import { problemHandler } from '../../../api/way-in/problem.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import { roles, type Role } from '../../../contracts/tenancy.ts';
import { accessTable } from '../../support/access-table.ts';
import { fromNow, tables } from '../../support/database/index.ts';
import { ask, newKey, newTenant, type Answer } from './asking.ts';
import { appOf, newCrawl, withApi } from './world.ts';
import { httpServer } from '../../support/http-server.ts';

const { pool, api } = withApi({ anonymous: true });
let crawl: string;
/** Keys by role, of the first tenant and of another one. */
const keys = { first: {} as Record<Role, string>, other: {} as Record<Role, string> };
let othersCrawl: string;

beforeAll(async () => {
  crawl = await newCrawl(pool);
  const other = await newTenant(pool);
  for (const role of roles) {
    keys.first[role] = await newKey(pool, '1', role);
    keys.other[role] = await newKey(pool, other, role);
  }
  const created = await ask<{ id: string }>(api.url, keys.other.operator, 'POST', '/v1/crawls', {
    seeds: 'https://a.example/',
  });
  othersCrawl = created.body.id;
});

const judge = createJudge(allRoutes);
const routes = Object.entries(accessTable).map(([route, access]) => {
  const [method = '', path = ''] = route.split(' ');
  return { route, method, path, access };
});
const guarded = routes.flatMap(({ access, ...rest }) => (access === 'public' ? [] : [{ ...rest, access }]));

/** A path that changes nothing anybody else looks at. */
const fill = (path: string, crawlId: string): string =>
  path
    .replace('{crawlId}', crawlId)
    .replace('{origin}', encodeURIComponent('https://nobody.example'))
    .replace('{domain}', 'nobody.example')
    .replace('{url}', encodeURIComponent('https://nobody.example/'))
    .replace('{keyId}', '00000000-0000-4000-8000-000000000000')
    .replace('{tenantId}', '999');

/** A body that every route refuses, so that callers who may change something do not. */
const badBody = (method: string): unknown =>
  method === 'POST' || method === 'PATCH' ? { '?': 1 } : undefined;

const compatible = /^\/(v1\/(url\/|urls|job\/)|seed\/|url\/|api\/)/;

/** A problem document of this type; the compatible routes have a shape of their own. */
function expectRefusal({ headers, body }: Answer<Problem>, path: string, type: string): void {
  if (compatible.test(path)) {
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(Object.keys(body)).toEqual(['error_message']);
  } else {
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(body.type).toBe(`urn:orbweaver:problem:${type}`);
  }
}

interface Layer {
  readonly route?: { readonly path: string; readonly stack: readonly { readonly method?: string }[] };
  readonly handle: { readonly stack?: readonly Layer[] };
  /** Where it is mounted. */
  readonly rawPath: string;
}

function routesOf(stack: readonly Layer[], mount: string): string[] {
  return stack.flatMap((layer) => {
    const { route } = layer;
    if (route !== undefined) {
      const path = `${mount}${route.path}`.replace(/:(\w+)/g, '{$1}');
      const methods = new Set(route.stack.flatMap(({ method }) => method ?? []));
      return [...methods].map((method) => `${method.toUpperCase()} ${path}`);
    }
    return layer.handle.stack === undefined
      ? []
      : routesOf(layer.handle.stack, mount + layer.rawPath.replace(/\/$/, ''));
  });
}

describe('the table', () => {
  it('names every route of the application, and no other', () => {
    const app = appOf(pool, {}, new AbortController().signal);
    const found = routesOf((app.router as unknown as { stack: readonly Layer[] }).stack, '');
    expect(found.length).toBeGreaterThan(20);
    const documents = ['GET /docs', 'GET /docs/*', 'GET /console', 'GET /console/*'];
    expect([...found, ...documents].sort()).toEqual(Object.keys(accessTable).sort());
  });

  it('refuses what it does not name, whatever the routers have', async () => {
    const app = express();
    const keyring = createKeyring(pool, null);
    app.use(gate(judge, pool, keyring, [], () => Promise.resolve()));
    app.all('/{*any}', (_request, response) => {
      response.json('reached');
    });
    app.use(problemHandler);
    const { origin: url, close } = await httpServer(app);
    const statusOf = async (method: string, path: string): Promise<number> =>
      (await ask(url, keys.first.admin, method, path)).status;
    expect(await statusOf('GET', '/v1/crawls')).toBe(200);
    expect(await statusOf('GET', '/V1/Crawls/')).toBe(200);
    expect(await statusOf('GET', '/v1/secrets')).toBe(404);
    expect(await statusOf('GET', '/v1/crawls/1/secrets')).toBe(404);
    expect(await statusOf('GET', '/v1//crawls')).toBe(404);
    expect(await statusOf('GET', '/v1/crawls%2f1')).toBe(404);
    expect(await statusOf('PUT', '/v1/crawls')).toBe(405);
    expect(await statusOf('DELETE', '/v1/tenants')).toBe(405);
    await close();
  });

  it('knows HEAD as GET', () => {
    expect(judge('HEAD', '/v1/keys')).toEqual(judge('GET', '/v1/keys'));
    expect(judge('OPTIONS', '/v1/keys').kind).toBe('other-method');
  });
});

describe('without a key', () => {
  it.each(routes.filter(({ access }) => access === 'public'))('$route answers', async ({ method, path }) => {
    // Ready is what has a worker; this one is heard of for an hour.
    const times = { started_at: fromNow(), seen_at: fromNow(3_600) };
    await tables.worker.add(pool, { id: randomUUID(), roles: ['control'], ...times });
    const { status } = await ask(api.url, null, method, path.replace('*', ''));
    // Signing in wants something to sign in by; signing out is done, whoever asks.
    expect(path === '/v1/console-session' ? [204, 401, 422] : [200, 301, 302]).toContain(status);
  });

  it.each(guarded)('$route is 401, and so with one that is not', async ({ method, path }) => {
    for (const token of [null, 'owk_0000000000000000000000000000000000000000000', 'x.y.z']) {
      const answer = await ask<Problem>(api.url, token, method, fill(path, crawl), badBody(method));
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="orbweaver"/);
      expectRefusal(answer, path, 'unauthenticated');
    }
  });
});

describe('with a key', () => {
  it.each(guarded)('$route is open to the roles the table says', async ({ method, path, access }) => {
    for (const tenant of ['first', 'other'] as const) {
      for (const role of roles) {
        const ours = tenant === 'first' ? crawl : othersCrawl;
        const answer = await ask<Problem>(
          api.url, keys[tenant][role], method, fill(path, ours), badBody(method),
        ); // prettier-ignore
        const may =
          roles.indexOf(role) >= roles.indexOf(access.least) && (!access.instance || tenant === 'first');
        const said = `${tenant} ${role}: ${String(answer.status)}`;
        if (may) expect([200, 201, 400, 404, 409, 415, 422], said).toContain(answer.status);
        else {
          expect(answer.status, said).toBe(403);
          expectRefusal(answer, path, 'forbidden');
        }
      }
    }
  });

  it.each(guarded)('$route is closed to keys for something else', async ({ method, path, access }) => {
    const scope = access.scopes.includes('keys') ? 'crawls' : 'keys';
    const key = await newKey(pool, '1', 'admin', { scopes: [scope] });
    const answer = await ask(api.url, key, method, fill(path, crawl), badBody(method));
    expect(answer.status).toBe(403);
  });

  it('takes it from either header, and refuses two that differ', async () => {
    const statusWith = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${api.url}/v1/crawls`, { headers })).status;
    const { reader, admin } = keys.first;
    expect(await statusWith({ authorization: `Bearer ${reader}` })).toBe(200);
    expect(await statusWith({ 'API-X-TOKEN': `Bearer ${reader}` })).toBe(200);
    expect(await statusWith({ authorization: `bearer ${reader}`, 'api-x-token': `Bearer ${reader}` })).toBe(
      200,
    );
    expect(await statusWith({ authorization: `Bearer ${reader}`, 'api-x-token': `Bearer ${admin}` })).toBe(
      401,
    );
    const twice = [reader, admin].flatMap((key) => ['Authorization', `Bearer ${key}`]);
    expect((await request(`${api.url}/v1/crawls`, { headers: twice })).statusCode).toBe(401);
    expect(await statusWith({ authorization: reader })).toBe(401);
    expect(await statusWith({ authorization: `Basic ${reader}` })).toBe(401);
    expect((await fetch(`${api.url}/v1/crawls?access_token=${reader}`)).status).toBe(401);
  });
});
