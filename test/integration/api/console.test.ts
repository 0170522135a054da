/** Signing in to the console, and the files of its page (F47). */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SignedIn, SignInLink } from '../../../contracts/http/console.ts';
import { tables } from '../../support/database/index.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { withApi } from './world.ts';

const temporalWeb = 'http://127.0.0.1:8233/namespaces/default/workflows/';
const { pool, api } = withApi({ anonymous: true, temporalWeb });
let tenant: string;
let key: string;
beforeAll(async () => {
  tenant = await newTenant(pool);
  key = await newKey(pool, tenant, 'operator');
});

interface Browser {
  readonly cookie: string;
  readonly csrf: string;
}

const send = (method: string, to: string, headers: Record<string, string> = {}, body?: object) =>
  fetch(new URL(to, api.url), {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

async function signIn(by: object): Promise<Browser & { readonly set: string; readonly view: SignedIn }> {
  const answer = await send('POST', '/v1/console-session', {}, by);
  expect(answer.status).toBe(201);
  const view = (await answer.json()) as SignedIn;
  const set = answer.headers.get('set-cookie') ?? '';
  return { cookie: set.split(';')[0] ?? '', csrf: view.csrfToken, set, view };
}

const statusOf = async (method: string, to: string, headers: Record<string, string>, body?: object) =>
  (await send(method, to, headers, body)).status;

describe('signing in', () => {
  it('exchanges a key for a cookie that no script and no other site has', async () => {
    const { set, view, cookie } = await signIn({ key });
    expect(set).toMatch(/; HttpOnly/i);
    expect(set).toMatch(/; SameSite=Strict/i);
    expect(set).not.toContain(key);
    expect(view).toMatchObject({ tenantId: tenant, role: 'operator', instance: false, scopes: null });
    expect(await statusOf('GET', '/v1/crawls', { cookie })).toBe(200);
    expect(await statusOf('GET', '/v1/crawls', { cookie: `${cookie.slice(0, -4)}AAAA` })).toBe(401);
    expect(await statusOf('GET', '/v1/tenants', { cookie })).toBe(403);
    const rows = JSON.stringify(await tables.signIn.rows(pool));
    expect(rows).not.toContain(key.slice(10));
    expect(rows).not.toContain(cookie.split('=')[1]);
  });

  it('lets nothing be changed by the cookie alone', async () => {
    const { cookie, csrf } = await signIn({ key });
    const other = await signIn({ key });
    const seeds = { seeds: ['https://example.com/'] };
    expect(await statusOf('POST', '/v1/crawls', { cookie }, seeds)).toBe(403);
    const foreign = { cookie, 'x-csrf-token': other.csrf };
    expect(await statusOf('POST', '/v1/crawls', foreign, seeds)).toBe(403);
    expect(await statusOf('POST', '/v1/crawls', { cookie, 'x-csrf-token': csrf }, seeds)).toBe(201);
  });

  it('ends when its reader signs out, and when its key is revoked', async () => {
    const { cookie, csrf } = await signIn({ key });
    const stays = await signIn({ key });
    expect(await statusOf('DELETE', '/v1/console-session', { cookie })).toBe(403);
    expect(await statusOf('DELETE', '/v1/console-session', { cookie, 'x-csrf-token': csrf })).toBe(204);
    expect(await statusOf('GET', '/v1/crawls', { cookie })).toBe(401);
    expect(await statusOf('GET', '/v1/crawls', { cookie: stays.cookie })).toBe(200);

    const made = await ask<{ id: string; key: string }>(api.url, api.key, 'POST', '/v1/keys', {
      name: 'short',
      role: 'reader',
    });
    const brief = await signIn({ key: made.body.key });
    await ask(api.url, api.key, 'DELETE', `/v1/keys/${made.body.id}`);
    expect(await statusOf('GET', '/v1/crawls', { cookie: brief.cookie })).toBe(401);
    expect(await statusOf('GET', '/v1/console-session', { cookie: brief.cookie })).toBe(401);
  });

  it('needs nothing of a session that the browser has, which ends by it, also where its key is revoked', async () => {
    const made = await ask<{ id: string; key: string }>(api.url, api.key, 'POST', '/v1/keys', {
      name: 'short',
      role: 'reader',
    });
    const old = await signIn({ key: made.body.key });
    const other = await signIn({ key });
    for (const { cookie } of [old, other]) {
      if (cookie === old.cookie) await ask(api.url, api.key, 'DELETE', `/v1/keys/${made.body.id}`);
      expect(await statusOf('POST', '/v1/console-session', { cookie }, { key })).toBe(201);
      expect(await statusOf('GET', '/v1/crawls', { cookie })).toBe(401);
    }
  });

  it('takes no more bytes than a key or a code has: whoever sends them is not known yet', async () => {
    const long = await send('POST', '/v1/console-session', {}, { key: 'k'.repeat(17 * 1024) });
    expect([long.status, await long.text()]).toEqual([
      413,
      expect.stringContaining('larger than 16384 bytes'),
    ]);
  });

  it('tells tenants nothing of the desk of operators', async () => {
    expect((await signIn({ key })).view.temporalWeb).toBeNull();
    expect((await signIn({ key: api.key })).view.temporalWeb).toBe(temporalWeb);
  });

  it('by a link works once, with the key that made the link', async () => {
    const made = await ask<SignInLink>(api.url, key, 'POST', '/v1/sign-in-links');
    expect(made.status).toBe(201);
    const { hash, pathname, search } = new URL(made.body.url);
    expect([pathname, search]).toEqual(['/console/', '']);
    const code = hash.slice('#code='.length);
    const { view } = await signIn({ code });
    expect(view.tenantId).toBe(tenant);
    expect(await statusOf('POST', '/v1/console-session', {}, { code })).toBe(401);
    expect(await statusOf('POST', '/v1/console-session', {}, { key, code })).toBe(422);
    expect(await statusOf('POST', '/v1/console-session', {}, { key: 'owk_unknown' })).toBe(401);
  });
});

describe('the page', () => {
  it('is served at each of its addresses, and lets nothing run but its own files', async () => {
    for (const at of ['/console', '/console/', '/console/crawls/3/pages?x=1']) {
      const answer = await send('GET', at);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(
        /^default-src 'none'; script-src 'self' 'sha256-[\w+/]{43}='; style-src 'self';/,
      );
      expect(policy).not.toContain('unsafe');
    }
  });

  it('has all its files, without types, within 120 KB', async () => {
    const folder = path.join(import.meta.dirname, '../../../console');
    const own = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|css)$/.test(name))
      .map((name) => `/console/app/${name}`);
    const page = await (await send('GET', '/console/')).text();
    const libraries = [...page.matchAll(/: "(\/console\/lib\/[^"]+)"/g)].map(([, name]) => name ?? '');
    expect(libraries.length).toBe(7);
    // All are asked for at once, but for what draws charts.
    const preloads = [...page.matchAll(/<link rel="modulepreload" href="([^"]+)" \/>/g)].map(([, at]) => at);
    const modules = [...own, ...libraries].filter((at) => !/\.css$|uplot/.test(at));
    expect(preloads.toSorted()).toEqual(modules.toSorted());
    let bytes = gzipSync(page).length;
    for (const file of [...own, ...libraries]) {
      const answer = await send('GET', file);
      expect(answer.status, file).toBe(200);
      const text = await answer.text();
      expect(text, file).not.toMatch(/^import type|^export (interface|type) /m);
      bytes += gzipSync(text, { level: 9 }).length;
      const tag = answer.headers.get('etag') ?? '';
      expect(await statusOf('GET', file, { 'if-none-match': tag })).toBe(304);
    }
    expect(bytes).toBeLessThan(120_000);
  });

  it('has no other file', async () => {
    for (const name of ['tsconfig.json', '..%2fpackage.json', 'none.ts', '__proto__'])
      expect(await statusOf('GET', `/console/app/${name}`, {}), name).toBe(404);
    for (const name of ['constructor', '../app/none.js', 'preact/package.json'])
      expect(await statusOf('GET', `/console/lib/${name}`, {}), name).toBe(404);
  });
});
