/** JWTs as bearer tokens, against an issuer with a JWKS of its own (RFC 7519, RFC 8725). */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
  type JWK,
} from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTokenVerifier } from '../../../api/way-in/tokens.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import { createTenant, shutTenant } from '../../../storage/tenancy/index.ts';
import { ask } from './asking.ts';
import { withHttpServer } from '../../support/http-server.ts';
import { newCrawl, serve, type Api, withServices } from './world.ts';

const issuer = 'https://issuer.example/';
const audience = 'orbweaver';
const cooldownMs = 300;

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

const { pool } = withServices();
let api: Api;
let served: JWK[] = [];
let lookups = 0;
let away = false;
let key: SigningKey;
let tenant: string;
const jwks = withHttpServer((_request, response) => {
  lookups++;
  response.statusCode = away ? 500 : 200;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ keys: served }));
});

async function newSigningKey(kid: string, alg = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

beforeAll(async () => {
  tenant = (await createTenant(pool, 'acme', {}))?.id ?? '';
  key = await newSigningKey('one');
  served = [key.jwk];
  api = await serveTokens();
});
afterAll(async () => {
  await api.stop();
});
afterEach(() => {
  away = false;
});

/** With keys of its own: nothing was looked up yet. */
function serveTokens(): Promise<Api> {
  const verifyToken = createTokenVerifier({
    issuer,
    audience,
    jwksUrl: `${jwks.origin}/jwks`,
    tenantClaim: 'tenant',
    roleClaim: 'realm_access.roles',
    cooldownMs,
  });
  return serve(pool, { anonymous: true, verifyToken });
}

interface Claims {
  readonly iss?: string;
  readonly aud?: string | string[];
  readonly exp?: number | null;
  readonly nbf?: number;
  readonly iat?: unknown;
  readonly sub?: unknown;
  readonly tenant?: unknown;
  readonly roles?: unknown;
}

const now = (): number => Math.floor(Date.now() / 1000);
const payload = ({ iss = issuer, aud = audience, exp = now() + 60, nbf, iat, sub = 'ada', tenant: of = 'acme', roles = ['x', 'operator'] }: Claims) => ({
  iss, aud, ...(sub !== null && { sub: sub as string }), jti: randomUUID(), tenant: of, realm_access: { roles },
  ...(exp !== null && { exp }), ...(nbf !== undefined && { nbf }), ...(iat !== undefined && { iat: iat as number }),
}); // prettier-ignore

const sign = (claims: Claims = {}, by = key): Promise<string> =>
  new SignJWT(payload(claims)).setProtectedHeader({ alg: by.alg, kid: by.kid }).sign(by.privateKey);

const statusWith = async (token: string, url = api.url): Promise<number> =>
  (await ask(url, token, 'GET', '/v1/crawls')).status;

async function expectRefused(token: string, why: string): Promise<void> {
  const { status, headers, body } = await ask<Problem>(api.url, token, 'GET', '/v1/crawls');
  expect([status, headers.get('www-authenticate')]).toEqual([
    401,
    `Bearer realm="orbweaver", error="invalid_token", error_description="${why}"`,
  ]);
  expect(body.detail).toContain(`(${why})`);
}

describe('a token', () => {
  it('acts for the tenant it names, by name or id, in the highest role it has', async () => {
    const token = await sign();
    const own = await ask<{ id: string }>(api.url, token, 'GET', '/v1/tenant');
    expect(own.body).toMatchObject({ id: tenant, name: 'acme' });
    expect((await ask(api.url, token, 'POST', '/v1/crawls', { seeds: 'https://a.example/' })).status).toBe(
      201,
    );
    expect((await ask(api.url, token, 'GET', '/v1/keys')).status).toBe(403);
    const first = await newCrawl(pool);
    expect((await ask(api.url, token, 'GET', `/v1/crawls/${first}`)).status).toBe(404);
    for (const of of [tenant, Number(tenant)]) expect(await statusWith(await sign({ tenant: of }))).toBe(200);
    const admin = await sign({ tenant: 1, roles: ['reader', 'admin'] });
    expect((await ask(api.url, admin, 'GET', '/v1/tenants')).status).toBe(200);
    const reader = await sign({ roles: 'openid reader' });
    expect((await ask(api.url, reader, 'POST', '/v1/crawls', {})).status).toBe(403);
  });

  it('that was made a moment ago, by a clock that is a little ahead, is accepted for up to a year', async () => {
    for (const claims of [{ iat: now() + 4 }, { iat: now() - 86_400 }, { exp: now() + 365 * 86_400 }])
      expect(await statusWith(await sign(claims))).toBe(200);
  });

  it.each<[string, Claims, string]>([
    ['another issuer', { iss: 'https://evil.example/' }, 'iss is not the issuer of this API'],
    ['another audience', { aud: 'somebody-else' }, 'aud does not name this API'],
    ['other audiences', { aud: ['a', 'b'] }, 'aud does not name this API'],
    ['an end that has passed', { exp: now() - 60 }, 'exp has passed'],
    ['no end', { exp: null }, 'exp is missing or not valid'],
    ['an end that is no number', { exp: 'never' as unknown as number }, 'exp is missing or not valid'],
    ['an end beyond a year', { exp: now() + 367 * 86_400 }, 'exp is more than a year after iat'],
    [
      'a life of ten years',
      { iat: now() - 3_600, exp: now() + 3_650 * 86_400 },
      'exp is more than a year after iat',
    ],
    ['a long life that is nearly over', { iat: now() - 3_650 * 86_400 }, 'exp is more than a year after iat'],
    ['a time to come as that at which it was made', { iat: now() + 600 }, 'iat is still to come'],
    ['no time at which it was made', { iat: 'yesterday' }, 'iat is missing or not valid'],
    ['a beginning to come', { nbf: now() + 600 }, 'nbf is still to come'],
    ['a tenant that is not', { tenant: 'nobody' }, 'its tenant is unknown or closed'],
    ['no tenant', { tenant: null }, 'tenant must be the id or name of a tenant'],
    ['a tenant that is no name', { tenant: { id: 1 } }, 'tenant must be the id or name of a tenant'],
    ['a tenant with NUL', { tenant: 'acme\u0000' }, 'tenant must be the id or name of a tenant'],
    ['nobody it was given to', { sub: null }, 'sub must be a name of 1 to 255 characters'],
    ['a subject without letters', { sub: '' }, 'sub must be a name of 1 to 255 characters'],
    ['a subject that is a number', { sub: 5 }, 'sub must be a name of 1 to 255 characters'],
    ['a subject that is no name', { sub: { name: 'ada' } }, 'sub must be a name of 1 to 255 characters'],
    ['a subject with NUL', { sub: 'ada\u0000' }, 'sub must be a name of 1 to 255 characters'],
    ['half of a character in its subject', { sub: 'ada\ud800' }, 'sub must be a name of 1 to 255 characters'],
    [
      'a subject too long to be told from others',
      { sub: 'a'.repeat(256) },
      'sub must be a name of 1 to 255 characters',
    ],
    ['no role of ours', { roles: ['root'] }, 'realm_access.roles holds no role of this API'],
    [
      'a role hidden in an object',
      { roles: { admin: true } },
      'realm_access.roles holds no role of this API',
    ],
  ])('with %s is refused, with the check that failed', async (_what, claims, why) => {
    await expectRefused(await sign(claims), why);
  });

  it('is refused when its tenant is closed', { tags: ['long'] }, async () => {
    const closed = await createTenant(pool, 'closed', {});
    const token = await sign({ tenant: 'closed' });
    expect(await statusWith(token)).toBe(200);
    await shutTenant(pool, closed?.id ?? '');
    await expect.poll(() => statusWith(token), { timeout: 30_000 }).toBe(401);
  });

  it('unsigned, of algorithm none, is refused', async () => {
    await expectRefused(
      new UnsecuredJWT(payload({})).encode(),
      'alg must be an accepted signature with a public key',
    );
    const [header, body] = (await sign()).split('.');
    expect(await statusWith(`${header ?? ''}.${body ?? ''}.`)).toBe(401);
    const claimsNone = Buffer.from(JSON.stringify({ alg: 'none', kid: key.kid })).toString('base64url');
    expect(await statusWith(`${claimsNone}.${body ?? ''}.`)).toBe(401);
  });

  it('“signed” with the public key as HMAC secret is refused (RFC 8725 §2.1)', async () => {
    for (const secret of [await exportSPKI(key.publicKey), JSON.stringify(key.jwk), key.jwk.n ?? '']) {
      const token = await new SignJWT(payload({}))
        .setProtectedHeader({ alg: 'HS256', kid: key.kid })
        .sign(new TextEncoder().encode(secret));
      expect(await statusWith(token)).toBe(401);
    }
  });

  it('signed with a shared secret is refused, though the issuer should publish it', async () => {
    const secret = randomBytes(32);
    const hmac: JWK = { kty: 'oct', k: secret.toString('base64url'), kid: 'hmac', alg: 'HS256' };
    served = [key.jwk, hmac];
    const own = await serveTokens();
    const token = await new SignJWT(payload({}))
      .setProtectedHeader({ alg: 'HS256', kid: 'hmac' })
      .sign(secret);
    expect(await statusWith(token, own.url)).toBe(401);
    expect(await statusWith(await sign(), own.url)).toBe(200);
    await own.stop();
    served = [key.jwk];
  });

  it('that brings a key or the address of one is refused', async () => {
    const own = await newSigningKey(key.kid);
    const token = await new SignJWT(payload({}))
      .setProtectedHeader({ alg: 'RS256', kid: key.kid, jwk: own.jwk, jku: 'https://evil.example/jwks' })
      .sign(own.privateKey);
    await expectRefused(token, 'the signature does not fit');
  });

  it('whose claims were changed is refused', async () => {
    const [header, , signature] = (await sign()).split('.');
    const forged = Buffer.from(JSON.stringify(payload({ roles: ['admin'], tenant: 1 }))).toString(
      'base64url',
    );
    expect(await statusWith(`${header ?? ''}.${forged}.${signature ?? ''}`)).toBe(401);
  });

  it('that was accepted is not accepted past its end', async () => {
    let token = '';
    // A rest of its life in which it is certain to be used: on a busy machine two seconds may pass before it is.
    for (let restSeconds = 2; ; restSeconds *= 2) {
      // Five seconds are allowed for clocks that differ.
      const exp = now() - 5 + restSeconds;
      token = await sign({ exp });
      const status = await statusWith(token);
      if (now() >= exp + 5) continue;
      expect(status).toBe(200);
      break;
    }
    await expect.poll(() => statusWith(token), { timeout: 30_000, interval: 50 }).toBe(401);
  });

  it('longer than any is not even looked at', async () => {
    const before = lookups;
    await expectRefused(`${'a'.repeat(9_000)}.b.c`, 'it is too long');
    await expectRefused('a.b.c', 'it is not a well-formed JWT');
    expect(lookups).toBe(before);
  });
});

describe('the keys of the issuer', () => {
  it('rotate: a new kid is looked up, once in a while, and an old one is refused when it is gone', async () => {
    const old = key;
    const next = await newSigningKey('two', 'ES256');
    const own = await serveTokens();
    expect(await statusWith(await sign({}, old), own.url)).toBe(200);
    served = [next.jwk];
    await expect.poll(async () => statusWith(await sign({}, next), own.url)).toBe(200);
    expect(await statusWith(await sign({}, old), own.url)).toBe(401);

    // Made-up kids do not make us ask for each of them.
    const stranger = await newSigningKey('stranger');
    const before = lookups;
    const since = performance.now();
    for (let i = 0; i < 30; i++) {
      const made = { ...stranger, kid: `made-up-${String(i)}` };
      expect(await statusWith(await sign({}, made), own.url)).toBe(401);
    }
    expect(lookups - before).toBeLessThanOrEqual(1 + Math.floor((performance.now() - since) / cooldownMs));
    await own.stop();
    served = [old.jwk];
  });

  it('that cannot be had make no token bad: 503, and all is well when they are back', async () => {
    const own = await serveTokens();
    away = true;
    const answer = await ask<Problem>(own.url, await sign(), 'GET', '/v1/crawls');
    expect(answer.status).toBe(503);
    expect(answer.body.detail).toMatch(/issuer does not answer/);
    away = false;
    expect(await statusWith(await sign(), own.url)).toBe(200);
    await own.stop();
  });

  it('are never asked for where none are set: tokens are refused', async () => {
    const own = await serve(pool, { anonymous: true });
    expect(await statusWith(await sign(), own.url)).toBe(401);
    await own.stop();
  });
});
