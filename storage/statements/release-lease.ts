import { statement } from '../statement.ts';

/**
 * Returns a lease cleanly, with what the host has taught: when it may be visited again and how it is doing.
 * No row: the lease had been lost, and its new holder knows better.
 */
export const releaseLease = statement<
  [
    hostId: string | number,
    token: number,
    waitMs: number,
    paceMs: number,
    slowdown: number,
    clean: number,
    failures: number,
    lastError: string | null,
  ],
  { id: number }
>(
  'release-lease',
  `update host
      set lease_token = null, lease_until = null,
          not_before = greatest(not_before, now() + $3 * interval '1 millisecond'),
          paced_until = greatest(paced_until, now() + $4 * interval '1 millisecond'),
          slowdown = $5, clean = $6, failures = $7, last_error = $8,
          failing_since = case when $7 = 0 then null else coalesce(failing_since, now()) end
    where id = $1 and lease_token = $2
   returning id`,
);
