/**
 * Who did what. Each request of a known caller that may change something, or that reads stored bodies, gets an entry
 * before it is carried out; the answer adds its status. A request that cannot be noted is refused (503), so that
 * nothing is done unseen. If the process is killed in between, the entry keeps no status: the request has begun, and
 * nobody knows how far it came.
 *
 * Refusals are noted too (403, 404, 422 …), except those of the guard or the rate limits, which come first. Bodies,
 * queries, keys, and requests without a known key are not noted.
 *
 * Nobody can flood the log to push entries out: requests that come by the thousand and change nothing share one entry
 * an hour. Keys, tenants, webhooks and deletions, downloads, and all other entries have limits of their own.
 */
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { maxAuditDetail, maxAuditTarget } from '../../contracts/http/audit.ts';
import { tidyAudit, beginAudit, countAudit, endAudit } from '../../storage/tenancy/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import type { GuardedRoute } from './access.ts';
import { callerOf } from './caller.ts';
import { HttpProblem } from './problem.ts';
import { withoutSecrets } from './secrets.ts';

const maxActor = 300;
/** Entries written between two clean-ups of old ones. */
const tidyEvery = 1_000;

const details = new WeakMap<Response, string>();

/** Adds a sentence to the entry of the request, such as `version 3 of crawl 7`. Never a secret. */
export function noteForAudit(response: Response, detail: string): void {
  const before = details.get(response);
  details.set(response, before === undefined ? detail : `${before}; ${detail}`);
}

const counted = new WeakSet<Response>();

/** The request did nothing, and others like it come all the time: it is counted, and is no entry of its own. */
export function countForAudit(response: Response): void {
  counted.add(response);
}

export type RecordRequest = (
  request: Request,
  response: Response,
  route: Pick<GuardedRoute, 'path' | 'audit'>,
) => Promise<void>;

/** Run once the caller is known, before the gate judges what the caller may do. */
export function auditLog(pool: Pool, log: Logger): RecordRequest {
  let sinceTidied = 0;
  const tidy = (tenantId: number): void => {
    if (++sinceTidied < tidyEvery) return;
    sinceTidied = 0;
    tidyAudit(pool, tenantId).catch((error: unknown) => {
      log.warn({ err: error }, 'old entries of the audit log could not be deleted');
    });
  };

  return async (request, response, { path: route, audit }) => {
    if (audit === null) return;
    const { tenantId, id, role } = callerOf(request);
    const target = withoutSecrets(request.path);
    const requestId = response.get('X-Request-Id') ?? '';
    let entry: { readonly number: number } | undefined;
    try {
      const isSecurity = audit === 'security';
      [entry] = await beginAudit(pool, {
        tenantId,
        actor: fit(id, maxActor),
        role,
        method: request.method,
        route,
        target: fit(target, maxAuditTarget),
        requestId,
        security: isSecurity,
      });
    } catch (error) {
      request.log.warn({ err: error }, 'a request could not be written to the audit log, and is refused');
    }
    if (entry === undefined) {
      const detail = 'The audit log cannot be written, so nothing was done. Try again soon.';
      throw new HttpProblem(503, detail);
    }
    tidy(tenantId);
    completeAtEnd(pool, log, response, entry.number);
  };
}

/** The answer ends only when its status is noted: a caller who has the answer finds it in the log. */
function completeAtEnd(pool: Pool, log: Logger, response: Response, number: number): void {
  const end = response.end.bind(response) as (...args: readonly unknown[]) => Response;
  const complete = async (): Promise<void> => {
    const made = response.statusCode === 201 ? response.get('Location') : undefined;
    if (response.get('Idempotent-Replayed') !== undefined)
      noteForAudit(response, 'answered again; nothing was done');
    else if (made !== undefined) noteForAudit(response, `created ${made}`);
    const detail = details.get(response);
    await (counted.has(response) ? countAudit : endAudit)(
      pool,
      number,
      response.statusCode,
      detail === undefined ? null : fit(detail, maxAuditDetail),
    );
  };
  response.end = (...args: readonly unknown[]): Response => {
    // Only the first end counts, even if an answer is ended twice while its status is being noted.
    response.end = () => response;
    complete()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'the status of a request could not be written to the audit log');
      })
      .finally(() => end(...args));
    return response;
  };
}

/** Made to fit what Postgres can hold. */
const fit = (text: string, most: number): string =>
  text.slice(0, most).replaceAll('\0', '\ufffd').toWellFormed();
