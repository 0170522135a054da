import { statement } from '../statement.ts';

/**
 * Forgets a host's trouble: failures, backoff, parking, and how it was slowed down. What is owed of its pace stays.
 * Its dead letters are not touched; driving them again is a step of its own.
 */
export const unparkHost = statement<[hostId: string], { readonly was_parked: boolean }>(
  'unpark-host',
  `update host set parked_at = null, failures = 0, failing_since = null, last_error = null,
                   failing = '{}', complained = '{}', slowdown = 0, clean = 0, not_before = paced_until,
                   fed = true, fed_at = now()
    where id = $1 returning old.parked_at is not null as was_parked`,
);
