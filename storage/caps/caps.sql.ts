/** What operators set for addresses and domains. */
import { statement } from '../postgres/index.ts';

export interface CapRow {
  readonly name: string;
  /** Null: no cap. */
  readonly rate: number | null;
  readonly in_flight: number | null;
  readonly changed_at: Date;
}

/** The settings of all groups, if they are not those of this stamp; no row: they are. */
export const loadCaps = statement<[stamp: string], { stamp: string; caps: CapRow[] }>('load-caps')`
   select * from (
     select count(*) || ' ' || coalesce(max(changed_at)::text, '') as stamp,
            coalesce(json_agg(json_build_object('name', name, 'rate', rate, 'in_flight', in_flight)), '[]') as caps
       from cap) now
    where stamp <> $1`;

/** In the order of their names, after `after`. */
export const listCaps = statement<[after: string | null, limit: number], CapRow>('list-caps')`
   select name, rate, in_flight, changed_at from cap where name > coalesce($1, '') order by name limit $2`;

export const setCap = statement<[name: string, rate: number | null, inFlight: number | null], CapRow>(
  'set-cap',
)`
   insert into cap (name, rate, in_flight) values ($1, $2, $3)
   on conflict (name) do update set rate = excluded.rate, in_flight = excluded.in_flight, changed_at = clock_timestamp()
   returning name, rate, in_flight, changed_at`;

export const clearCap = statement<[name: string], CapRow>('clear-cap')`
   delete from cap where name = $1 returning name, rate, in_flight, changed_at`;
