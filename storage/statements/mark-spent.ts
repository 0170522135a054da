import { statement } from '../statement.ts';

/** Marks a host whose retries are spent as worked on a crawl's account; no row: somebody else has it in hand. */
export const markSpent = statement<[hostId: number, crawlId: number], { id: number }>(
  'mark-spent',
  `update host set fed = true, fed_at = now(), fed_for = $2
    where id = $1 and not fed and parked_at is null and known_at is null and failures > 0
   returning id`,
);
