/** What operators set for addresses and domains. */
import type { CapView } from '../../contracts/http/caps.ts';
import { statement, view } from '../postgres/index.ts';

/** The settings of all groups, if they are not those of this stamp; no row: they are. */
export const loadCaps = statement<[stamp: string], { stamp: string; caps: Omit<CapView, 'changedAt'>[] }>(
  'load-caps',
)`
   select * from (
     select count(*) || ' ' || coalesce(max(changed_at)::text, '') as stamp,
            coalesce(json_agg(json_build_object('name', name, 'rate', rate, 'inFlight', in_flight)), '[]') as caps
       from cap) now
    where stamp <> $1`;

/** In the order of their names, after `after`. */
export const listCaps = view<[after: string | null, limit: number], CapView>('list-caps')`
   select name, rate, in_flight, changed_at from cap where name > coalesce($1, '') order by name limit $2`;

export const setCap = view<[name: string, rate: number | null, inFlight: number | null], CapView>('set-cap')`
   insert into cap (name, rate, in_flight) values ($1, $2, $3)
   on conflict (name) do update set rate = excluded.rate, in_flight = excluded.in_flight, changed_at = clock_timestamp()
   returning name, rate, in_flight, changed_at`;

export const clearCap = view<[name: string], CapView>('clear-cap')`
   delete from cap where name = $1 returning name, rate, in_flight, changed_at`;
