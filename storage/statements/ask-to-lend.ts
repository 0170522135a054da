import { statement } from '../statement.ts';
import { hasPageDue } from './lend-hosts.ts';

/**
 * Asks for hosts of these shards that could be lent if they were not in use or about to be. Slices of ours that hold
 * such a host end soon, and the next begins when `askMs` have passed, or once the host was lent. Does not ask for a
 * host whose last turn was a foreign fetcher's.
 */
export const askToLend = statement<
  [
    shards: readonly number[],
    crawlIds: readonly number[],
    robotsFreshMs: number,
    limit: number,
    askMs: number,
    but: readonly number[],
  ],
  Record<string, never>
>(
  'ask-to-lend',
  `with wanted as materialized (
     select h.id from host h
      where ${hasPageDue}
        and h.id <> all ($6) and not h.lent and h.not_before <= now() + $5 * interval '1 millisecond'
      order by h.not_before, h.id
      limit $4
      for update skip locked
   )
   update host set lend_until = now() + $5 * interval '1 millisecond' from wanted where host.id = wanted.id`,
);
