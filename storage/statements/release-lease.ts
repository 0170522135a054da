import type { Queryable } from '../pool.ts';
import { statement } from '../statement.ts';

/** What was asked of the host under the lease, and whether it may be asked on. */
export interface Visit {
  /** Milliseconds since the head of the last answer; null: nothing was asked. */
  readonly askedAgoMs: number | null;
  /** What that answer took, from the request's leaving to its end. */
  readonly tookMs: number | null;
  /** The day on the host's calendar, and all requests counted for it. */
  readonly day: string;
  readonly used: number;
  /** Of the wait: milliseconds for other reasons than pace. */
  readonly heldMs: number;
  /** Of the settings it was made under: where they were changed since, pace and closing are for the next to judge. */
  readonly revision: number;
  /** Milliseconds for which the host is closed by its windows or its quota; 0: it is open. */
  readonly closedMs: number;
}

const release = statement<
  [
    hostId: string | number,
    token: number,
    waitMs: number,
    paceMs: number,
    failures: number,
    lastError: string | null,
    askedAgoMs: number | null,
    tookMs: number | null,
    day: string | null,
    used: number | null,
    closedMs: number | null,
    heldMs: number | null,
    revision: number | null,
  ],
  { id: number }
>(
  'release-lease',
  `update host
      set lease_token = null, lease_until = null,
          not_before = greatest(not_before, now() + interval '1 millisecond' *
                         case when settings_revision = coalesce($13, settings_revision) then $3::float8 else $12 end),
          paced_until = greatest(paced_until, now() + interval '1 millisecond' *
                          case when settings_revision = coalesce($13, settings_revision) then $4::float8 else 0 end),
          failures = $5, last_error = $6,
          failing_since = case when $5 = 0 then null else coalesce(failing_since, now()) end,
          asked_at = coalesce(now() - $7::float8 * interval '1 millisecond', asked_at),
          took_ms = coalesce($8::real, took_ms),
          requests_day = coalesce($9, requests_day), requests_used = coalesce($10, requests_used),
          requests_reserved = 0, lent = lent and $7::float8 is null,
          closed_until = case when coalesce($11::float8, 0) = 0 or settings_revision <> $13 then '-infinity'
                              else now() + $11 * interval '1 millisecond' end
    where id = $1 and lease_token = $2
   returning id`,
);

/**
 * Returns a lease cleanly, with what the host has taught: when it may be visited again and how it is doing.
 * No row: the lease had been lost, and its new holder knows better. `visit` null: nothing is said of requests.
 */
export const releaseLease = (
  db: Queryable,
  hostId: string | number,
  token: number,
  waitMs: number,
  paceMs: number,
  failures: number,
  lastError: string | null,
  visit: Visit | null = null,
): Promise<{ id: number }[]> =>
  release(
    db,
    hostId,
    token,
    waitMs,
    paceMs,
    failures,
    lastError,
    visit?.askedAgoMs ?? null,
    visit?.tookMs ?? null,
    visit?.day ?? null,
    visit?.used ?? null,
    visit?.closedMs ?? null,
    visit?.heldMs ?? null,
    visit?.revision ?? null,
  );
