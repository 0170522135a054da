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
          slowdown = $4, clean = $5, failures = $6, last_error = $7,
          failing_since = case when $6 = 0 then null else coalesce(failing_since, now()) end
    where id = $1 and lease_token = $2
   returning id`,
);
