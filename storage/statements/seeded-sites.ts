import { statement } from '../statement.ts';

export interface SeededSite {
  readonly crawl_id: number;
  /** The first host of the site. */
  readonly site: number;
}

/**
 * The crawls, of those given, that have a seed at a site. `origins`: all spellings of the site. One seed is looked for
 * at each: with `exists` Postgres would join the hosts with all seeds of all crawls, which takes minutes when there are
 * millions.
 */
export const seededSites = statement<[crawlIds: readonly number[], origins: readonly string[]], SeededSite>(
  'seeded-sites',
  `select c.id as crawl_id, min(h.id) as site
     from unnest($1::bigint[]) c(id)
     join host h on h.origin = any ($2::text[])
    cross join lateral (
      select from url u where u.host_id = h.id and u.crawl_id = c.id and u.seed limit 1
    ) one
    group by c.id`,
);
