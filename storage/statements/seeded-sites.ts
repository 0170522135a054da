import { statement } from '../statement.ts';

export interface SeededSite {
  readonly crawl_id: number;
  /** The first host of the site. */
  readonly site: number;
}

/** The crawls, of those given, that have a seed at a site. `origins`: all spellings of the site. */
export const seededSites = statement<[crawlIds: readonly number[], origins: readonly string[]], SeededSite>(
  'seeded-sites',
  `select c.id as crawl_id, min(h.id) as site
     from unnest($1::bigint[]) c(id)
     join host h on h.origin = any ($2::text[])
      and exists (select from url u where u.host_id = h.id and u.crawl_id = c.id and u.seed)
    group by c.id`,
);
