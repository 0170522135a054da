/** The imported ranking of domains. */
import { statement } from '../postgres/index.ts';

export const hasRanks = statement<[], { any: boolean }>('has-ranks')`
   ${'select exists (select from domain_rank) as any'}`;

/** Places of those domains that are ranked. */
export const ranksOf = statement<[domains: readonly string[]], { domain: string; place: number }>('ranks-of')`
   ${'select domain, place from domain_rank where domain = any ($1)'}`;

/** How many domains are ranked. */
export const countRanks = statement<[], { domains: number }>('count-ranks')`
   ${'select count(*)::int as domains from domain_rank'}`;

/** Held by whoever stores entries, and taken for itself by whoever begins: nothing is stored across a beginning. */
const beginning = "hashtext('domain_rank')";

/** Begins an import, or a removal: from now on imports that began before it store nothing more. */
export const nextEdition = statement<[], { edition: string }>('next-edition')`
   select nextval('domain_rank_edition_number')::text as edition
    where (select pg_advisory_xact_lock(${beginning})::text) is not null`;

/**
 * Stores entries, [{domain, place}], if this import is the latest, and answers whether it is. A domain that comes twice
 * in an import keeps its better place.
 */
export const storeRanks = statement<[edition: string, entries: string], { latest: boolean }>('store-ranks')`
   with latest as materialized (
     select last_value = $1 as yes from domain_rank_edition_number
      where (select pg_advisory_xact_lock_shared(${beginning})::text) is not null
   ), stored as (
     insert into domain_rank as d (domain, place, edition)
     select domain, min(place), $1::bigint
       from json_to_recordset($2) as r(domain text collate "C", place int)
      where (select yes from latest)
      group by domain order by domain
     on conflict (domain) do update
       set place = case when d.edition = excluded.edition then least(d.place, excluded.place) else excluded.place end,
           edition = excluded.edition
   )
   select yes as latest from latest`;

/** Removes so many entries of imports before this one. Answers how many. */
export const removeRanks = statement<[edition: string, limit: number], { domains: number }>('remove-ranks')`
   with gone as (
     delete from domain_rank
      where domain = any (array(select domain from domain_rank where edition < $1 limit $2)) and edition < $1
     returning 1
   )
   select count(*)::int as domains from gone`;
