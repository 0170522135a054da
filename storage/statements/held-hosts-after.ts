import { statement } from '../statement.ts';

/** Hosts that are paused or parked, by their ids. */
export const heldHostsAfter = statement<[after: string, limit: number], { id: string; origin: string }>(
  'held-hosts-after',
  `select id::text, origin
     from ((select id, origin from host where paused_at is not null and id > $1::bigint order by id limit $2)
           union
           (select id, origin from host where parked_at is not null and id > $1::bigint order by id limit $2)) held
    order by held.id limit $2`,
);
