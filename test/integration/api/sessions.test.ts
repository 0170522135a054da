/** Sessions of crawls over HTTP (F48): given with their secrets, and never shown with them. */
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../contracts/http/problem.ts';
import type { CreatedCrawl } from '../../../contracts/http/crawls.ts';
import type { CrawlOutlookView } from '../../../contracts/http/outlook.ts';
import type { SessionsView } from '../../../contracts/http/sessions.ts';
import { reaches } from '../../../domain/session/session.ts';
import { partsOf } from '../../../engine/sessions/session-parts.ts';
import {
  giveSession,
  logOut,
  openHeaders,
  SecretKeys,
  type Renewed,
} from '../../../storage/sessions/index.ts';
import { runCli } from '../../cli/run-cli.ts';
import { addUrl, setState, tables, tablesWith } from '../../support/database/index.ts';
import { testKeys } from '../../support/keys.ts';
import { ask, newKey, newTenant, type Answer } from './asking.ts';
import { newCrawl, newRunningCrawl, withApi, withServed } from './world.ts';

const { pool, api, control } = withApi();
const keyless = withServed(pool, {
  keys: new SecretKeys(() => {
    throw new Error('the folder cannot be written');
  }),
});

const secret = 'Zx9-s3cret-7Qp';
const call = <T = SessionsView>(method: string, path: string, body?: unknown): Promise<Answer<T>> =>
  ask<T>(api.url, api.key, method, path, body);
const cookies = JSON.stringify([
  { name: 'sid', value: secret, domain: '.example.com', path: '/', secure: true, expirationDate: 4e9 },
  { name: 'csrf', value: secret, domain: 'www.example.com' },
]);
const basic = { origin: 'https://example.com', basic: { user: 'me', password: secret } };

describe('/v1/crawls/{crawlId}/sessions', () => {
  it('takes sessions, lists them without their secrets, and takes them back', async () => {
    const path = `/v1/crawls/${await newCrawl(pool)}/sessions`;
    await call('POST', path, { cookies });
    const given = await call('POST', path, basic);
    expect(given).toMatchObject({
      status: 200,
      body: {
        sessions: [
          { place: '.example.com', kind: 'cookies', names: ['sid'], endsAt: '2096-10-02T07:06:40.000Z' },
          { place: 'https://example.com', kind: 'headers', names: ['authorization'], endsAt: null },
          { place: 'www.example.com', kind: 'cookies', names: ['csrf'] },
        ],
        loggedOut: [],
        loggedOutHosts: 0,
      },
    });
    expect((await call('GET', path)).body).toEqual(given.body);
    const left = await call('DELETE', `${path}/${encodeURIComponent('https://example.com')}`);
    expect(left.body.sessions.map(({ place }) => place)).toEqual(['.example.com', 'www.example.com']);
    expect(await call('DELETE', `${path}/example.com`)).toMatchObject({ status: 404 });
  });

  it('keeps them sealed: no table has a secret in plain, in hexadecimal or in Base64', async () => {
    const id = await newCrawl(pool);
    await call('POST', `/v1/crawls/${id}/sessions`, { cookies });
    await call('POST', `/v1/crawls/${id}/sessions`, basic);
    const credentials = Buffer.from(`me:${secret}`).toString('base64');
    for (const text of [secret, credentials, Buffer.from(secret).toString('hex')])
      expect(await tablesWith(pool, text)).toEqual([]);
    expect(await tablesWith(pool, 'csrf')).toEqual(['crawl_session']);
    const { body } = await call<object>('GET', `/v1/crawls/${id}`);
    expect(JSON.stringify(body)).not.toContain(secret);
  });

  it('are taken with a new crawl', async () => {
    const seeds = ['https://example.com/'];
    const made = await call<CreatedCrawl>('POST', '/v1/crawls', { seeds, sessions: [{ cookies }, basic] });
    expect(made.status).toBe(201);
    const { body } = await call('GET', `/v1/crawls/${made.body.id}/sessions`);
    expect(body.sessions).toHaveLength(3);
    const bad = await call<Problem>('POST', '/v1/crawls', { seeds, sessions: [{ cookies: secret }] });
    expect(bad).toMatchObject({ status: 422 });
    expect(JSON.stringify(bad.body)).not.toContain(secret);
  });

  it.each<[unknown, RegExp]>([
    [{}, /give cookies, basic, bearer, headers or proxy/],
    [{ cookies: `[{"name": "a", "value": "${secret}"}]` }, /cookie 1 has not the texts/],
    [{ bearer: secret }, /origin: say where/],
    [{ ...basic, bearer: secret }, /give one of them/],
    [{ proxy: `https://me:${secret}@proxy.example:3128` }, /must be a proxy such as/],
    [{ proxy: `socks5://me:${secret}@proxy.example/x` }, /must be a proxy such as/],
    [{ origin: 'https://example.com', bearer: `${secret} ${secret}` }, /no bearer token/],
    [{ origin: 'https://example.com', headers: { Host: secret } }, /set by the crawler itself/],
    [{ origin: 'https://example.com', headers: { 'X-Key': `${secret}\n` } }, /printable ASCII/],
    [{ origin: `https://example.com/${secret}`, bearer: 'a' }, /is not an origin/],
  ])('refuses what cannot be sent, and shows no secret', async (body, words) => {
    const { status, body: problem } = await call<Problem>(
      'POST',
      `/v1/crawls/${await newCrawl(pool)}/sessions`,
      body,
    );
    expect(status).toBe(422);
    expect(JSON.stringify(problem)).toMatch(words);
    if (!/origin/.test(words.source)) expect(JSON.stringify(problem)).not.toContain(secret);
  });

  it('are not taken where there is no key to keep them by', async () => {
    const path = `/v1/crawls/${await newCrawl(pool)}/sessions`;
    const { status, body } = await ask<Problem>(keyless.url, keyless.key, 'POST', path, basic);
    expect([status, body.detail]).toEqual([503, expect.stringContaining('set ORBWEAVER_SECRET_KEY')]);
    expect((await call('GET', path)).body.sessions).toEqual([]);
  });

  it('have a proxy in crawls of the first tenant alone, shown without its password', async () => {
    const proxy = { proxy: `socks5://me:${secret}@proxy.example:1080` };
    const path = `/v1/crawls/${await newCrawl(pool)}/sessions`;
    const { body } = await call('POST', path, proxy);
    expect(body.sessions).toMatchObject([
      { place: '*', kind: 'proxy', names: ['socks5://proxy.example:1080'] },
    ]);
    const tenant = await newTenant(pool);
    const theirs = await newKey(pool, tenant, 'operator');
    const asked = { seeds: ['https://example.com/'], sessions: [proxy] };
    expect((await ask(api.url, theirs, 'POST', '/v1/crawls', asked)).status).toBe(403);
    expect((await call('DELETE', `${path}/${encodeURIComponent('*')}`)).body.sessions).toEqual([]);
    expect(await tablesWith(pool, secret)).toEqual([]);
  });

  it('are those of the crawls of a tenant, and no reader gives them', async () => {
    const path = `/v1/crawls/${await newCrawl(pool)}/sessions`;
    const stranger = await newKey(pool, await newTenant(pool), 'admin');
    const reader = await newKey(pool, '1', 'reader');
    for (const [method, to] of [
      ['GET', path],
      ['POST', path],
      ['POST', `${path}/retry`],
      ['DELETE', `${path}/a`],
    ] as const)
      expect((await ask(api.url, stranger, method, to, method === 'POST' ? basic : undefined)).status).toBe(
        404,
      );
    expect((await ask(api.url, reader, 'POST', path, basic)).status).toBe(403);
    expect((await ask(api.url, reader, 'GET', path)).status).toBe(200);
  });
});

describe('headers among the settings of a crawl', () => {
  const headers = { Cookie: `id=${secret}-own`, 'X-Key': 'k3y-of-mine' };

  it('are kept sealed too, and an edit with the same changes nothing', async () => {
    const made = await call<CreatedCrawl>('POST', '/v1/crawls', { seeds: ['https://example.com/'], headers });
    const path = `/v1/crawls/${made.body.id}`;
    await call('PATCH', path, { headers: { ...headers, 'X-Key': 'k3y-of-others' } });
    const version = async (): Promise<number> =>
      (await tables.crawl.row(pool, { id: made.body.id })).config_version;
    expect(await version()).toBe(2);
    await call('PATCH', path, { headers: { ...headers, 'X-Key': 'k3y-of-others' } });
    expect(await version()).toBe(2);
    for (const text of [secret, 'k3y-of']) expect(await tablesWith(pool, text)).toEqual([]);
    const { config } = await tables.crawl.row(pool, { id: made.body.id });
    expect(openHeaders(testKeys, 1, config.headers)).toEqual({ ...headers, 'X-Key': 'k3y-of-others' });
  });
});

describe('a crawl that a site has logged out', () => {
  const loggedOut = async (origin: string) => {
    const id = await newRunningCrawl(pool);
    const { hostId: host } = await addUrl(pool, id, `${origin}/a`);
    await logOut(pool, String(host), { id: Number(id), sessionRevision: 0, version: 1 }, 'answered 401');
    return { id, host };
  };

  it('is shown so, goes on with another session that reaches the host, and is told of both', async () => {
    const { id, host } = await loggedOut('https://www.example.com');
    const path = `/v1/crawls/${id}/sessions`;
    const view = await call('GET', path);
    expect(view.body.loggedOut).toMatchObject([
      { origin: 'https://www.example.com', why: 'answered 401', queued: 1 },
    ]);
    await setState(pool, id, 'finished');
    const elsewhere = await call('POST', path, { ...basic, origin: 'https://example.org' });
    expect(elsewhere.body.loggedOut).toHaveLength(1);
    expect((await call('POST', path, { cookies })).body.loggedOut).toEqual([]);
    expect(await tables.crawl.row(pool, { id })).toMatchObject({ state: 'running', session_revision: 2 });
    expect(control.started).toContain(id);
    const { turn_at: at } = await tables.queue.row(pool, { crawl_id: id, host_id: host });
    expect(at?.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
    const kinds = (await tables.event.rows(pool, { crawl_id: id })).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['host.parked', 'host.back', 'crawl.reopened']));
  });

  it('has all the hosts counted of which a list names a hundred', async () => {
    const id = await newRunningCrawl(pool);
    for (let at = 0; at < 102; at++) await addUrl(pool, id, `https://many-${String(at)}.example/`);
    const out = { logged_out_at: new Date(), logged_out: 'answered 401' };
    await tables.queue.change(pool, { crawl_id: id }, out);
    const { body } = await call('GET', `/v1/crawls/${id}/sessions`);
    expect([body.loggedOut.length, body.loggedOutHosts]).toEqual([100, 102]);
    const env = { ORBWEAVER_SERVER: api.url, ORBWEAVER_API_KEY: api.key };
    const { stdout } = await runCli(['session', 'list', id], env);
    expect(stdout).toMatch(/\nhttps:\/\/many-99\.example .*\nand 2 more hosts\n$/);
    const { body: outlook } = await call<CrawlOutlookView>(
      'GET',
      `/v1/crawls/${id}/outlook?fields=parked&limit=1`,
    );
    const said = { why: 'logged-out', lastError: 'answered 401' };
    expect(outlook).toMatchObject({ parked: [said], waiting: { hosts: 102, items: [said] } });
  });

  it('goes on at all hosts that the session reaches, in however many batches, and at no other', async () => {
    const id = await newRunningCrawl(pool);
    const origins = ['a', 'b', 'c', 'd'].map(
      (name) => `https://${name}.example.${name === 'b' ? 'org' : 'com'}`,
    );
    for (const origin of origins) {
      const { hostId } = await addUrl(pool, id, `${origin}/`);
      await logOut(pool, String(hostId), { id: Number(id), sessionRevision: 0, version: 1 }, 'answered 401');
    }
    const found = partsOf({ cookies });
    if (!found.ok) throw new Error(found.problem);
    const told: unknown[] = [];
    const tell = async ({ hosts }: Renewed): Promise<void> => {
      const { body } = await call('GET', `/v1/crawls/${id}/sessions`);
      told.push([hosts.length, body.loggedOut.map(({ origin }) => origin)]);
    };
    await giveSession(pool, testKeys, Number(id), found.parts, reaches, tell, 2);
    // Each batch is told before the next one: of a and b, then of c and d.
    expect(told).toEqual([
      [1, origins.slice(1)],
      [2, ['https://b.example.org']],
    ]);
    const back = await tables.event.rows(pool, { crawl_id: id, kind: 'host.back' });
    expect(back.map(({ data }) => data)).toEqual(
      origins.filter((_, at) => at !== 1).map((host) => ({ host })),
    );
    const { body } = await call('GET', `/v1/crawls/${id}/sessions`);
    expect(body.loggedOut.map(({ origin }) => origin)).toEqual(['https://b.example.org']);
  });

  it.each([
    ['its owner says so', 'POST', '/sessions/retry', undefined],
    ['its headers are edited', 'PATCH', '', { headers: { Cookie: 'id=next' } }],
  ])('asks again where %s', async (_, method, path, body) => {
    const { id } = await loggedOut(`https://${path.length === 0 ? 'a' : 'b'}.example.net`);
    expect((await call(method, `/v1/crawls/${id}${path}`, body)).status).toBe(200);
    expect((await call('GET', `/v1/crawls/${id}/sessions`)).body.loggedOut).toEqual([]);
  });
});
