/** Seeds that lead to another place. */
import { statement } from '../postgres/index.ts';

/** Most places that the seeds of a crawl may bring by redirects: many names that are for sale lead to few shops. */
const mostMoved = 1_000;

/** Brings a place into the scope of a crawl, unless it has brought as many as may be. @param place hex, as with seeds */
export const bringPlace = statement<
  [crawlId: number, place: string, from: string, to: string],
  Record<string, never>
>(
  'bring-place',
  `insert into seed_place (crawl_id, place, moved_from, moved_to)
   select $1, decode($2, 'hex'), $3, $4
    where (select count(*) from seed_place where crawl_id = $1 and moved_from is not null) < ${String(mostMoved)}
   on conflict do nothing`,
);
