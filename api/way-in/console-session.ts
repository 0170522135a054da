/**
 * A browser that is signed in to the console sends a cookie instead of a key. Behind this the request has the key that
 * its session was given, so that limits, gate, roles and audit log know nothing of cookies, and whatever ends the key
 * ends the session.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { CookieOptions, Request, RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import type { Pool } from '../../storage/postgres/index.ts';
import { KeyMissing, type SecretKeys } from '../../storage/sessions/index.ts';
import { bearerOfSession, signInSeconds } from '../../storage/tenancy/index.ts';
import { tokenOf } from './gate.ts';
import { HttpProblem } from './problem.ts';

/** Cookies know no ports: two instances on one machine have cookies of their own. */
const cookieName = (request: Request): string =>
  `orbweaver-console-${/:(\d+)$/.exec(request.headers.host ?? '')?.[1] ?? 'web'}`;

const secretForm = /^[\w-]{43}$/;

/** What the browser of a session has; null: it is not signed in. */
export function sessionSecret(request: Request): string | null {
  const name = `${cookieName(request)}=`;
  const fields = (request.headers.cookie ?? '').split(';').map((field) => field.trim());
  const secret = fields.find((field) => field.startsWith(name))?.slice(name.length) ?? '';
  return secretForm.test(secret) ? secret : null;
}

export function sessionCookie(request: Request): readonly [name: string, options: CookieOptions] {
  const options = { httpOnly: true, sameSite: 'strict', secure: request.secure, path: '/' } as const;
  return [cookieName(request), { ...options, maxAge: signInSeconds.session * 1_000 }];
}

/** Only a page of ours can know it: other sites' pages can neither read the cookie nor an answer. */
export const csrfTokenOf = (secret: string): string => hash('sha256', `csrf ${secret}`, 'base64url');

const reading = new Set(['GET', 'HEAD']);
/** As long as a revoked key may still be taken anywhere. */
const keptMs = 5_000;

export interface ConsoleSessions {
  readonly enter: RequestHandler;
  /** Signing out takes effect in this process at once. */
  forget(secret: string): void;
}

/** Mounted behind the limit by address: made-up cookies are looked for in Postgres. */
export function consoleSessions(pool: Pool, keys: SecretKeys): ConsoleSessions {
  const known = new LRUCache<string, string>({ max: 1_000, ttl: keptMs });
  const bearerOf = async (secret: string): Promise<string | null> => {
    const name = hash('sha256', secret, 'base64');
    const kept = known.get(name);
    if (kept !== undefined) return kept;
    const bearer = await bearerOfSession(pool, keys, secret).catch((error: unknown) => {
      // Sealed by a key that this instance no longer has: the session is over.
      if (error instanceof KeyMissing) return null;
      throw error;
    });
    if (bearer !== null) known.set(name, bearer);
    return bearer;
  };
  return {
    forget: (secret) => known.delete(hash('sha256', secret, 'base64')),
    enter: async (request, _response, next) => {
      const secret = sessionSecret(request);
      // Who signs in need not know of a session that the browser has: its end may be why.
      const signsIn = request.method === 'POST' && request.path === '/v1/console-session';
      if (secret !== null && !signsIn && tokenOf(request) === undefined) {
        const bearer = await bearerOf(secret);
        if (bearer !== null) {
          if (!reading.has(request.method)) checkCsrf(request, secret);
          request.rawHeaders.push('Authorization', `Bearer ${bearer}`);
        }
      }
      next();
    },
  };
}

function checkCsrf(request: Request, secret: string): void {
  const [sent, own] = [request.get('X-CSRF-Token') ?? '', csrfTokenOf(secret)].map((text) =>
    hash('sha256', text, 'buffer'),
  );
  if (sent !== undefined && own !== undefined && timingSafeEqual(sent, own)) return;
  const detail = 'A request by cookie that changes something must send X-CSRF-Token; load the page again.';
  throw new HttpProblem(403, detail, { kind: 'cross-site' });
}
