/**
 * How often callers may come (F36). Each tenant has a number of requests a second. Requests for which no key is looked
 * at are counted by address. Unknown keys are counted apart: a client that tries keys uses up nobody else's requests,
 * so that many clients can share one proxy.
 */
import { hash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { keyStart } from '../../contracts/tenancy.ts';
import { FairTurns, type TurnBounds } from '../../domain/fair-turns.ts';
import type { Judge } from './access.ts';
import { callerIfAny, callerOf } from './caller.ts';
import { tokenOf } from './gate.ts';
import type { Keyring } from './keyring.ts';
import { HttpProblem, sendProblem } from './problem.ts';
import { RateStore, type SharedCounts } from './rate-store.ts';
import { TokensUnavailable } from './tokens.ts';

const addressWindowMs = 10_000;
const tenantWindowMs = 1_000;

/** Keys of addresses that try many: they are looked at one at a time, in fair turns by address; so many may wait. */
const suspects: TurnBounds = { atOnce: 1, atOnceOfOne: 1, waiting: 1_000, waitingOfOne: 100 };
/** Seconds after which an address with more of them may come again. */
const laterSeconds = '15';
/** Characters after the start of a key by which counting tells keys apart. */
const prefixLength = keyStart.length + 6;

const common = {
  windowMs: addressWindowMs,
  standardHeaders: 'draft-8',
  legacyHeaders: false,
  // An untrusted client that sends X-Forwarded-For is counted by its own address; this is not an error of ours.
  validate: { xForwardedForHeader: false },
} as const;

/** @param requests that one address may send within ten seconds without a key being looked at */
export function limitByAddress(judge: Judge, requests: number, shared: SharedCounts | null): RequestHandler {
  return rateLimit({
    ...common,
    limit: requests,
    identifier: 'address',
    store: new RateStore('address', shared),
    skip: (request) => keyOf(judge, request) !== null,
    handler: (_request, response) => {
      refuse(response, 'Too many requests from this address; Retry-After says when to try again.');
    },
  });
}

/**
 * Limits unknown keys. After too many, keys of the address that begin alike are refused. Other unknown keys of the
 * address are still looked at, one at a time, since one of them may be a good key.
 * @param requests with unknown keys from one address within ten seconds
 */
export function limitMadeUpKeys(
  judge: Judge,
  requests: number,
  keyring: Keyring,
  shared: SharedCounts | null,
): RequestHandler[] {
  const isKnown = (request: Request): boolean => {
    const key = keyOf(judge, request);
    return key === null || keyring.knows(key);
  };
  const looks = new FairTurns(suspects);
  const byPrefix = rateLimit({
    ...common,
    limit: requests,
    identifier: 'key',
    store: new RateStore('key', shared),
    skip: isKnown,
    keyGenerator: (request) => `${ipKeyGenerator(request.ip ?? '')} ${prefixOf(keyOf(judge, request) ?? '')}`,
    handler: (_request, response) => {
      refuse(response, 'Too many requests with unknown keys that begin like this one.');
    },
  });
  const byAddress = rateLimit({
    ...common,
    limit: requests,
    identifier: 'keys',
    store: new RateStore('keys', shared),
    skip: isKnown,
    handler: (request, response, next) => {
      const pass = (): void => {
        for (const name of ['Retry-After', 'RateLimit', 'RateLimit-Policy']) response.removeHeader(name);
        next();
      };
      const look = async (): Promise<void> => {
        const turn = looks.ask(numberOf(request));
        if (typeof turn === 'string') {
          response.set('Retry-After', laterSeconds);
          throw new HttpProblem(503, 'Too many unknown keys are being looked at now.', { kind: 'busy' });
        }
        const caller = await turn.begins
          .then(() => keyring.callerOf(keyOf(judge, request) ?? ''))
          .finally(() => {
            turn.end();
          });
        if ('refused' in caller)
          refuse(response, 'The key is not valid, and this address has tried too many keys.');
        else pass();
      };
      look().catch((error: unknown) => {
        // The gate reports it if tokens cannot be checked.
        if (error instanceof TokensUnavailable) pass();
        else next(error);
      });
    },
  });
  return [byPrefix, byAddress];
}

/** Of the address: few share one. */
const numberOf = ({ ip = '' }: Request): number =>
  hash('sha256', ipKeyGenerator(ip), 'buffer').readUInt32LE();

/** The key or token that the gate will look at; null: none. */
function keyOf(judge: Judge, request: Request): string | null {
  const token = tokenOf(request);
  return typeof token === 'string' && judge(request.method, request.path).kind === 'guarded' ? token : null;
}

/** Tokens of an issuer all begin alike, so each token counts by itself. */
const prefixOf = (key: string): string =>
  key.startsWith(keyStart) ? key.slice(0, prefixLength) : hash('sha256', key, 'base64');

const refuse = (response: Response, detail: string): void => {
  sendProblem(response, 429, detail, { kind: 'rate-limited' });
};

/** For requests with a known caller. A quota of 0 refuses every request. */
export function limitByTenant(shared: SharedCounts | null): RequestHandler {
  return rateLimit({
    windowMs: tenantWindowMs,
    limit: (request) => callerOf(request).quotas.requestsPerSecond ?? 0,
    skip: (request) => (callerIfAny(request)?.quotas.requestsPerSecond ?? null) === null,
    keyGenerator: (request) => String(callerOf(request).tenantId),
    identifier: 'tenant',
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    store: new RateStore('tenant', shared),
    handler: (_request, response) => {
      const detail = "The tenant's requests of this second are spent; Retry-After says when to try again.";
      sendProblem(response, 429, detail, { kind: 'rate-limited', quota: 'requestsPerSecond' });
    },
  });
}
