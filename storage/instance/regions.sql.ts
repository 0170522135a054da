/** The regions of the instance, and the places of hosts. */
import type { HostPlace } from '../../domain/regions.ts';
import { statement } from '../postgres/index.ts';

/**
 * Notes the regions that a process knows, and that it is at work in some of them. A region that is new counts as one that
 * was just alive, so that its workers have time to start.
 */
export const noteRegions = statement<[all: readonly string[], own: readonly string[]]>('note-regions')`
   insert into region (name, seen_at)
   select name, now() from unnest($1::text[]) name order by name
   on conflict (name) do update
     set named_at = now(), seen_at = case when excluded.name = any ($2) then now() else region.seen_at end`;

/** Milliseconds since workers of the regions gave a sign of life; null: never. */
export const silentRegions = statement<[], { name: string; silent_ms: number | null }>('silent-regions')`
   select name, case when seen_at > '-infinity' then extract(epoch from now() - seen_at) * 1000 end::float8 as silent_ms
     from region`;

/** What tells the region of hosts. */
export const hostPlaces = statement<[origins: readonly string[]], HostPlace>('host-places')`
   select h.origin, h.settings ->> 'region' as set, r.place
     from host h left join robots r on r.host_id = h.id where h.origin = any ($1)`;
