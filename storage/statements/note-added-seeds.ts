import { statement } from '../statement.ts';

/** Last of the transaction that adds seeds, so that the time is that of its end; with an event. */
export const noteAddedSeeds = statement<[crawlId: string, seeds: number], Record<string, never>>(
  'note-added-seeds',
  `with noted as (
     update crawl set seeds_revision = seeds_revision + 1, seeds_added_at = clock_timestamp() where id = $1 returning id
   )
   insert into event (crawl_id, kind, data)
   select id, 'seeds.added', json_build_object('seeds', $2::int) from noted`,
);
