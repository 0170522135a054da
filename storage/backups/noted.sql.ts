/** What was backed up, for metrics and for people. A backup itself knows nothing of its own row. */
import { statement } from '../postgres/index.ts';

export interface BackupNote {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly beganAt: number;
  /** Bytes that a restore reads; that were new in the repository; null: it failed. */
  readonly bytes: number | null;
  readonly added: number | null;
  /** Why it failed; null: it is whole. */
  readonly error: string | null;
}

/** Notes a backup that has ended, and forgets all but the latest thousand. @param note a `BackupNote` */
export const noteBackup = statement<[note: string]>('note-backup')`
   with old as (delete from backup where ended_at < (select min(ended_at) from (select ended_at from backup order by ended_at desc limit 999) latest))
   insert into backup (id, began_at, bytes, added, error)
   select n.id, to_timestamp(n."beganAt" / 1000.0), n.bytes, n.added, n.error
     from json_to_record($1) n (id text, "beganAt" float8, bytes bigint, added bigint, error text)`;

/**
 * Notes a try of the schedule that failed before its backup had anything to note, or was killed: unless the backup has
 * noted itself since the try began.
 */
export const noteFailedTry = statement<[beganAt: number, error: string]>('note-failed-try')`
   insert into backup (id, began_at, error)
   select to_char(began at time zone 'UTC', 'YYYYMMDD"T"HH24MISS"Z-"') || substr(md5(random()::text), 1, 6), began, $2::text
     from (select to_timestamp($1::float8 / 1000.0) as began) try
    where not exists (select from backup where began_at >= began)`;

/** The latest that is whole. No row: there is none. */
export const lastBackup = statement<[], { readonly age_seconds: number; readonly bytes: number }>(
  'last-backup',
)`
   select extract(epoch from now() - began_at)::float8 as age_seconds, bytes
     from backup where error is null order by began_at desc limit 1`;
