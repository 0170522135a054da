/** The imported ranking of domains. */
import { statement } from '../postgres/index.ts';

export const hasRanks = statement<[], { any: boolean }>(
  'has-ranks',
  'select exists (select from domain_rank) as any',
);

/** Places of those domains that are ranked. */
export const ranksOf = statement<[domains: readonly string[]], { domain: string; place: number }>(
  'ranks-of',
  'select domain, place from domain_rank where domain = any ($1)',
);

/** How many domains are ranked. */
export const countRanks = statement<[], { domains: number }>(
  'count-ranks',
  'select count(*)::int as domains from domain_rank',
);

export const nextEdition = statement<[], { edition: string }>(
  'next-edition',
  `select nextval('domain_rank_edition_number')::text as edition`,
);

/** Stores entries, [{domain, place}]. A domain that comes twice in an import keeps its better place. */
export const storeRanks = statement<[edition: string, entries: string], Record<string, never>>(
  'store-ranks',
  `insert into domain_rank as d (domain, place, edition)
   select domain, min(place), $1::bigint
     from json_to_recordset($2) as r(domain text collate "C", place int)
    group by domain order by domain
   on conflict (domain) do update
     set place = case when d.edition = excluded.edition then least(d.place, excluded.place) else excluded.place end,
         edition = excluded.edition`,
);

/** Removes so many entries of other imports than this one (null: of all). Answers how many. */
export const removeRanks = statement<[edition: string | null, limit: number], { domains: number }>(
  'remove-ranks',
  `with gone as (
     delete from domain_rank
      where domain = any (array(select domain from domain_rank where edition is distinct from $1 limit $2))
     returning 1
   )
   select count(*)::int as domains from gone`,
);
