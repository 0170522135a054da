/** Lists of seeds, and questions about single seeds. */
import type { SeedView } from '../../contracts/http/seeds.ts';
import { statement } from '../postgres/index.ts';

/** Seeds by line, after `after`. @param rejected true: only rejected seeds; false: only accepted ones; null: all */
export const listSeeds = statement<
  [crawlId: string, after: number, rejected: boolean | null, limit: number],
  SeedView
>('list-seeds')`
   select line, url, case when rejected is null then 'good' else 'rejected' end as state, rejected as reason from seed
    where crawl_id = $1 and line > $2 and ($3::boolean is null or (rejected is not null) = $3)
    order by line limit $4`;

/** One row if the crawl has a seed at this very origin. */
export const hasSeedAt = statement<[hostId: string, crawlId: number], { found: number }>('has-seed-at')`
   select 1 as found from url where host_id = $1 and crawl_id = $2 and seed limit 1`;

/** One row if this URL is a seed of the crawl that is not admitted yet. */
export const pendingSeed = statement<[crawlId: string, url: string], { added_at: Date }>('pending-seed')`
   select greatest(c.seeds_added_at, c.created_at) as added_at
     from crawl c join seed s on s.crawl_id = c.id and s.line > c.seeded_line
    where c.id = $1 and s.url = $2 and s.rejected is null limit 1`;

/** Those of these URLs, spelt as they are stored, that are seeds of the crawl and not admitted yet. */
export const pendingSeeds = statement<[crawlId: string, urls: readonly string[]], { url: string }>(
  'pending-seeds',
)`
   select s.url from crawl c join seed s on s.crawl_id = c.id and s.line > c.seeded_line
    where c.id = $1 and s.url = any ($2) and s.rejected is null`;

/**
 * Those of `places` that hold a seed of a crawl; each place reaches from its lowest to its highest code, all in hex.
 */
export const seededPlaces = statement<
  [crawlId: number, places: readonly string[], lowest: readonly string[], highest: readonly string[]],
  { place: string }
>('seeded-places')`
   select a.place from unnest($2::text[], $3::text[], $4::text[]) as a(place, lowest, highest)
    where exists (select from seed_place p
                   where p.crawl_id = $1 and p.place between decode(a.lowest, 'hex') and decode(a.highest, 'hex'))`;

export interface SeededSite {
  readonly host_id: number;
  readonly crawl_id: number;
  /** The first host of the site. */
  readonly site: number;
}

/**
 * Which crawls have a seed at the site of a host. `rows`: [{host_id, crawl_id, origins}], `origins` being all spellings of
 * the site. One seed is looked for at each: with `exists` Postgres would join the hosts with all seeds of all crawls,
 * which takes minutes when there are millions.
 */
export const seededSites = statement<[rows: string], SeededSite>('seeded-sites')`
   select r.host_id, r.crawl_id, min(h.id) as site
     from json_to_recordset($1) as r(host_id bigint, crawl_id bigint, origins text[])
     join host h on h.origin = any (r.origins)
    cross join lateral (
      select from url u where u.host_id = h.id and u.crawl_id = r.crawl_id and u.seed limit 1
    ) one
    group by r.host_id, r.crawl_id`;
