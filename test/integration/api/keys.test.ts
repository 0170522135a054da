/** The life of an API key (F36). */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { provideFirstKey } from '../../../api/way-in/first-key.ts';
import { readLocalKey } from '../../../cli/api/local-key.ts';
import { provideLocalKey } from '../../../cli/stack/prepare-database.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import type { CreatedKey, KeyView } from '../../../contracts/tenancy.ts';
import { adoptAdminKey, makeSecret, revoke, useKey } from '../../../storage/tenancy/index.ts';
import { holdTable, tables } from '../../support/database/index.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { serve, startServices, withApi } from './world.ts';

const { pool, api } = withApi({ anonymous: true });
let admin: string;
let tenant: string;
let tenantAdmin: string;

beforeAll(async () => {
  admin = api.key;
  tenant = await newTenant(pool);
  tenantAdmin = await newKey(pool, tenant, 'admin');
});

const make = (body: object, by = admin) => ask<CreatedKey>(api.url, by, 'POST', '/v1/keys', body);
const statusWith = async (key: string, url = api.url): Promise<number> =>
  (await ask(url, key, 'GET', '/v1/crawls')).status;

describe('a key', () => {
  it('that ends makes none that lasts longer', async () => {
    const end = Date.now() + 3_600_000;
    const [sooner, later] = [end - 60_000, end + 60_000].map((at) => new Date(at).toISOString());
    const brief = await newKey(pool, tenant, 'admin', { expiresAt: new Date(end).toISOString() });
    const wanted = { name: 'offspring', role: 'admin' };
    expect((await make(wanted, brief)).status).toBe(403);
    const refused = await make({ ...wanted, expiresAt: later }, brief);
    expect(refused.status).toBe(403);
    expect((refused.body as unknown as Problem).detail).toMatch(/^expiresAt: your own key ends at /);
    expect((await make({ ...wanted, expiresAt: sooner }, brief)).status).toBe(201);
    expect((await make(wanted, tenantAdmin)).status).toBe(201);
  });

  it('is shown once, kept as a hash, noted when used, and refused once it is revoked', async () => {
    const made = await make({ name: 'laptop', role: 'reader' });
    expect(made.status).toBe(201);
    expect(made.headers.get('cache-control')).toBe('no-store');
    const { key, ...view } = made.body;
    expect(key).toMatch(/^owk_[\w-]{43}$/);
    expect(view).toMatchObject({
      tenantId: '1',
      name: 'laptop',
      role: 'reader',
      scopes: null,
      lastUsedAt: null,
    });
    expect(key.startsWith(view.prefix)).toBe(true);
    expect(view.prefix.length).toBe(10);

    expect(await statusWith(key)).toBe(200);
    const used = await ask<KeyView>(api.url, admin, 'GET', `/v1/keys/${view.id}`);
    expect(used.body).toEqual({ ...view, lastUsedAt: expect.stringMatching(/:00\.000Z$/) as string });
    const rows = await tables.apiKey.rows(pool);
    expect(JSON.stringify(rows)).not.toContain(key.slice(view.prefix.length));

    const revoked = await ask<KeyView>(api.url, admin, 'DELETE', `/v1/keys/${view.id}`);
    expect(revoked.body.revokedAt).not.toBeNull();
    expect(await statusWith(key)).toBe(401);
    const again = await ask<KeyView>(api.url, admin, 'DELETE', `/v1/keys/${view.id}`);
    expect(again.body).toEqual(revoked.body);
  });

  it('that another process revoked is refused within five seconds', { tags: ['long'] }, async () => {
    const other = await serve(pool, { anonymous: true });
    const { key, id } = (await make({ name: 'shared', role: 'reader' })).body;
    expect(await statusWith(key, other.url)).toBe(200);
    await ask(api.url, admin, 'DELETE', `/v1/keys/${id}`);
    await expect.poll(() => statusWith(key, other.url), { timeout: 30_000, interval: 50 }).toBe(401);
    await other.stop();
  });

  it('expires, to the moment, and not only when it is looked up', async () => {
    let [key, expiresAt] = ['', ''];
    // A life in which it is certain to be used: on a busy machine four seconds may pass before it is.
    for (let lifeMs = 4_000; ; lifeMs *= 2) {
      expiresAt = new Date(Date.now() + lifeMs).toISOString();
      ({ key } = (await make({ name: 'short', role: 'reader', expiresAt })).body);
      const status = await statusWith(key);
      if (Date.now() >= Date.parse(expiresAt)) continue;
      expect(status).toBe(200);
      break;
    }
    // None that is sent after that moment is let in.
    let sentAt = 0;
    while ((sentAt = Date.now()) < Date.parse(expiresAt) + 500) {
      const status = await statusWith(key);
      if (sentAt >= Date.parse(expiresAt)) expect(status).toBe(401);
      await new Promise((wake) => setTimeout(wake, 20));
    }
  });

  it('gives nobody more than they have', async () => {
    const confined = (await make({ name: 'keys only', role: 'admin', scopes: ['keys', 'crawls'] })).body.key;
    expect((await make({ name: 'a', role: 'admin' }, confined)).status).toBe(403);
    expect((await make({ name: 'a', role: 'admin', scopes: ['tenants'] }, confined)).status).toBe(403);
    expect((await make({ name: 'a', role: 'admin', scopes: ['keys'] }, confined)).status).toBe(201);
  });

  it.each([
    [{ role: 'reader' }, 422],
    [{ name: 'x', role: 'root' }, 422],
    [{ name: 'x', role: 'reader', scopes: [] }, 422],
    [{ name: 'x', role: 'reader', scopes: ['moon'] }, 422],
    [{ name: 'x', role: 'reader', expiresAt: '2001-01-01T00:00:00Z' }, 422],
    [{ name: 'x', role: 'reader', expiresAt: 'tomorrow' }, 422],
    [{ name: 'x', role: 'reader', expiresAt: `2999-01-01T00:00:00.${'1'.repeat(200)}Z` }, 422],
    [{ name: 'x', role: 'reader', tenantId: '42' }, 404],
    [{ name: 'x\ny', role: 'reader' }, 422],
  ])('is not made of %j', async (body, status) => {
    const answer = await ask<Problem>(api.url, admin, 'POST', '/v1/keys', body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it('belongs to its tenant: others neither see nor revoke it; admins of the instance do', async () => {
    const theirs = (await make({ name: 'theirs', role: 'reader' })).body;
    const mine = (await make({ name: 'mine', role: 'reader' }, tenantAdmin)).body;
    expect(mine.tenantId).toBe(tenant);
    for (const method of ['GET', 'DELETE']) {
      const foreign = await ask<Problem>(api.url, tenantAdmin, method, `/v1/keys/${theirs.id}`);
      const never = '00000000-0000-4000-8000-000000000000';
      const unknown = await ask<Problem>(api.url, tenantAdmin, method, `/v1/keys/${never}`);
      expect([foreign.status, unknown.status]).toEqual([404, 404]);
      expect(foreign.body.detail.replace(theirs.id, never)).toBe(unknown.body.detail);
    }
    expect(await statusWith(theirs.key)).toBe(200);
    const listed = async (by: string, query = ''): Promise<string[]> =>
      (await ask<{ items: KeyView[] }>(api.url, by, 'GET', `/v1/keys${query}`)).body.items.map(
        ({ id }) => id,
      );
    expect(await listed(tenantAdmin)).toContain(mine.id);
    expect(await listed(tenantAdmin)).not.toContain(theirs.id);
    expect((await ask(api.url, tenantAdmin, 'GET', '/v1/keys?tenantId=1')).status).toBe(404);
    expect((await make({ name: 'x', role: 'reader', tenantId: '1' }, tenantAdmin)).status).toBe(404);
    expect(await listed(admin, `?tenantId=${tenant}`)).toContain(mine.id);
    const given = await make({ name: 'given', role: 'operator', tenantId: tenant });
    expect(given.body.tenantId).toBe(tenant);
    await ask(api.url, admin, 'DELETE', `/v1/keys/${mine.id}`);
    expect(await statusWith(mine.key)).toBe(401);
  });

  it('is listed by age, each once, over cursors', async () => {
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const query: string = next === '' ? '' : `&cursor=${next}`;
      const { body } = await ask<{ items: KeyView[]; next: string | null }>(
        api.url, admin, 'GET', `/v1/keys?limit=2${query}`,
      ); // prettier-ignore
      seen.push(...body.items.map(({ id }) => id));
      next = body.next;
    }
    const rows = await tables.apiKey.rows(pool, { tenant_id: 1 });
    expect(seen).toEqual(rows.map(({ id }) => id));
  });

  it('gets into no log, whatever goes wrong', async () => {
    let logged = '';
    const into = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        logged += chunk.toString();
        done();
      },
    });
    const log = pino({ level: 'trace' }, into);
    const own = await serve(pool, { anonymous: true, log });
    const { key } = (await ask<CreatedKey>(own.url, admin, 'POST', '/v1/keys', { name: 'x', role: 'reader' }))
      .body;
    await ask(own.url, key, 'GET', `/v1/crawls?key=${key}`);
    await ask(own.url, key, 'POST', '/v1/crawls', { seeds: 'https://a.example/' });
    await fetch(`${own.url}/v1/${key}`, { headers: { 'api-x-token': `Bearer ${key}` } });
    const token = ['eyJhbGciOiJFUzI1NiJ9', 'eyJzdWIiOiJ4In0', 'c2lnbmVk'].join('.');
    await ask(own.url, key, 'POST', `/v1/crawls/${token}/pause?access_token=${token}`);
    await ask(own.url, key, 'GET', `/v1/crawls?access_token=${token}`);
    await own.stop();
    expect(logged).toContain('[key]');
    expect(logged).toContain('a key was created');
    expect(logged).not.toContain(key);
    expect(logged).not.toContain(admin);
    expect(logged).not.toContain('eyJ');
    expect(JSON.stringify(await tables.audit.rows(pool))).not.toContain('eyJ');
  });
});

describe('the first key', () => {
  it('is made once, however many start at the same time, and told once', async () => {
    const fresh = await startServices();
    await tables.apiKey.remove(fresh.pool);
    // All have begun before any can look.
    const held = await holdTable(fresh.pool, 'api_key');
    const log = pino({ level: 'silent' });
    const told: string[] = [];
    const starts = Array.from({ length: 4 }, () =>
      provideFirstKey({ pool: fresh.pool, log }, null, (key) => told.push(key)),
    );
    await expect.poll(() => held.waiting()).toBe(starts.length);
    await held.release();
    await Promise.all(starts.map((stop) => stop()));
    expect(told).toHaveLength(1);
    expect(await useKey(fresh.pool, told[0] ?? '')).toMatchObject({
      tenantId: 1,
      role: 'admin',
      scopes: null,
    });
    await fresh.stop();
  });

  it('is the one that is set, where one is; revoked, it stays so', async () => {
    const fresh = await startServices();
    await tables.apiKey.remove(fresh.pool);
    const log = pino({ level: 'silent' });
    const brought = makeSecret();
    const told: string[] = [];
    const start = () => provideFirstKey({ pool: fresh.pool, log }, brought, (key) => told.push(key));
    const stop = start();
    await expect.poll(() => useKey(fresh.pool, brought)).toMatchObject({ tenantId: 1, role: 'admin' });
    await stop();
    await revoke(fresh.pool, (await useKey(fresh.pool, brought))?.id ?? '', null);
    await start()();
    expect(await useKey(fresh.pool, brought)).toBeNull();
    expect(told).toEqual([]);
    await fresh.stop();
  });

  it('of a data folder is kept there for its owner alone, and replaced when it was revoked', async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'orbweaver-test-'));
    try {
      expect(readLocalKey(dataDir)).toBeNull();
      const first = await provideLocalKey(pool, { dataDir, adminKey: null });
      expect(first).toMatchObject({ made: true, key: readLocalKey(dataDir) });
      expect(statSync(first.file).mode & 0o777).toBe(0o600);
      expect(await statusWith(first.key)).toBe(200);
      expect(await provideLocalKey(pool, { dataDir, adminKey: null })).toEqual({
        ...first,
        made: false,
      });

      // The folder’s key in a database that does not know it yet, as after a restore: it is made known again.
      await tables.apiKey.remove(pool, { prefix: first.key.slice(0, 10) });
      expect(await provideLocalKey(pool, { dataDir, adminKey: null })).toEqual({
        ...first,
        made: false,
      });

      await revoke(pool, (await useKey(pool, first.key))?.id ?? '', null);
      const second = await provideLocalKey(pool, { dataDir, adminKey: null });
      expect(second.made).toBe(true);
      expect(second.key).not.toBe(first.key);

      const brought = makeSecret();
      expect(await provideLocalKey(pool, { dataDir, adminKey: brought })).toMatchObject({
        key: brought,
      });
      expect(readFileSync(second.file, 'utf8')).toBe(`${brought}\n`);

      // A file that anybody could read is closed again.
      writeFileSync(second.file, `${brought}\n`, { mode: 0o644 });
      await provideLocalKey(pool, { dataDir, adminKey: null });
      expect(statSync(second.file).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  it('cannot be a key of less: one that is known as a reader’s stays that', async () => {
    const reader = await newKey(pool, '1', 'reader');
    expect(await adoptAdminKey(pool, reader, 'x')).toBe(false);
    expect(await useKey(pool, reader)).toMatchObject({ role: 'reader' });
  });
});
