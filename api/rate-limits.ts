/**
 * How often may they come (F36)? Each tenant has its requests a second; who shows no key that is known goes by address,
 * which also slows down whoever tries keys. So does what is asked without its key being looked at: public and unknown
 * routes.
 */
import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { judge } from './access.ts';
import { callerIfAny, callerOf } from './caller.ts';
import { tokenOf } from './gate.ts';
import type { Keyring } from './keyring.ts';
import { sendProblem } from './problem.ts';
import { RateStore, type SharedCounts } from './rate-store.ts';

const addressWindowMs = 10_000;
const tenantWindowMs = 1_000;

/** @param requests of one address within ten seconds */
export function limitByAddress(
  requests: number,
  keyring: Keyring,
  shared: SharedCounts | null,
): RequestHandler {
  return rateLimit({
    windowMs: addressWindowMs,
    limit: requests,
    identifier: 'address',
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    store: new RateStore('address', shared),
    skip: (request) => {
      const token = tokenOf(request);
      const isKnown = typeof token === 'string' && keyring.knows(token);
      return isKnown && judge(request.method, request.path).kind === 'guarded';
    },
    handler: (_request, response) => {
      const detail = 'Too many requests from this address; Retry-After says when to go on.';
      sendProblem(response, 429, detail, { kind: 'rate-limited' });
    },
  });
}

/** For requests whose caller is known. A quota of no requests at all refuses each. */
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
      const detail = "The tenant's requests of this second are spent; Retry-After says when to go on.";
      sendProblem(response, 429, detail, { kind: 'rate-limited', quota: 'requestsPerSecond' });
    },
  });
}
