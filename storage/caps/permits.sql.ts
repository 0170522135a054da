/** Who holds permits, and how many of which group. */
import type { GroupBooks } from '../../domain/caps.ts';
import { statement } from '../postgres/index.ts';

export const addHolder = statement<[id: string, leaseMs: number]>('add-permit-holder')`
   insert into permit_holder (id, held_until) values ($1, now() + $2 * interval '1 millisecond')`;

/** No row: the time of the process was over, and its permits are not its own any more. */
export const renewHolder = statement<[id: string, leaseMs: number], { id: string }>('renew-permit-holder')`
   update permit_holder set held_until = now() + $2 * interval '1 millisecond'
    where id = $1 and held_until > now() returning id`;

export const removeHolder = statement<[id: string]>('remove-permit-holder')`
   delete from permit_holder where id = $1`;

/** Removes processes whose time is over. A process that renews at the same moment stays: its row is looked at again. */
export const forgetHolders = statement<[]>('forget-permit-holders')`
   delete from permit_holder where held_until < now()`;

export const liveHolders = statement<[], { id: string }>('live-permit-holders')`select id from permit_holder`;

export interface GroupRow {
  readonly name: string;
  readonly books: GroupBooks;
  /** The database's clock, in milliseconds since 1970. */
  readonly now_ms: number;
}

/** Makes the rows of these groups, in the order of their names, which is the order of locks. */
export const addGroups = statement<[names: readonly string[]]>('add-permit-groups')`
   insert into permit_group (name, books)
   select n, '{"restMs": 0, "shares": [], "spent": []}' from unnest($1::text[]) n order by n
   on conflict (name) do nothing`;

export const lockGroups = statement<[names: readonly string[]], GroupRow>('lock-permit-groups')`
   select name, books, (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
     from permit_group where name = any ($1) order by name for update`;

export const readGroups = statement<[names: readonly string[]], GroupRow>('read-permit-groups')`
   select name, books, (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
     from permit_group where name = any ($1)`;

/** `rows`: [{name, books}]. The caller must have locked them. */
export const writeGroups = statement<[rows: string]>('write-permit-groups')`
   update permit_group g set books = r.books
     from jsonb_to_recordset($1) as r(name text, books jsonb) where g.name = r.name`;

export const removeGroups = statement<[names: readonly string[]]>('remove-permit-groups')`
   delete from permit_group where name = any ($1)`;

/** Some groups, without a lock, for the chore that clears away what killed processes have left. */
export const someGroups = statement<[after: string, limit: number], { name: string }>('some-permit-groups')`
   select name from permit_group where name > $1 order by name limit $2`;

/** `rows`: [{host_id, name, ms}]: hosts that wait for a permit, and for about how long. Forgets waits that are over. */
export const noteWaits = statement<[rows: string]>('note-cap-waits')`
   with over as (
     delete from cap_wait where until < now() - interval '1 minute'
        and host_id not in (select host_id from jsonb_to_recordset($1) as r(host_id bigint))
   )
   insert into cap_wait (host_id, name, until)
   select host_id, name, now() + ms * interval '1 millisecond'
     from jsonb_to_recordset($1) as r(host_id bigint, name text, ms float8) order by host_id
   on conflict (host_id) do update set name = excluded.name, until = excluded.until`;

/** For what group's permit a host waits, and how many hosts wait for one; no row: it waits for none. */
export const hostCapWait = statement<[origin: string], { name: string; wait_ms: number; hosts: number }>(
  'host-cap-wait',
)`
   select w.name, (extract(epoch from w.until - now()) * 1000)::float8 as wait_ms,
          (select count(*) from cap_wait o where o.name = w.name and o.until > now()) as hosts
     from host h join cap_wait w on w.host_id = h.id
    where h.origin = $1 and w.until > now()`;
