/** Seeds that lead to another place. */
import { statement } from '../postgres/index.ts';

/** Most places that the seeds of a crawl may bring by redirects: many names that are for sale lead to few shops. */
const mostMoved = 1_000;

/**
 * Brings a place, unless there are as many as may be. The caller must hold the crawl's row: then the count is exact.
 * `is_within`: the place is one of the crawl's now.
 */
export const storeMoved = statement<
  [crawlId: number, place: string, from: string, to: string],
  { is_within: boolean }
>('store-moved')`
   with stored as (
     insert into seed_place (crawl_id, place, moved_from, moved_to)
     select $1, decode($2, 'hex'), $3, $4
      where (select count(*) from seed_place where crawl_id = $1 and moved_from is not null) < ${mostMoved}
     on conflict do nothing
     returning place
   )
   select exists (select from stored)
          or exists (select from seed_place where crawl_id = $1 and place = decode($2, 'hex')) as is_within`;
