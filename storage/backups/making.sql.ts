/**
 * The backup mode of Postgres. All of it belongs to one session: if the process that makes the backup is killed, Postgres
 * ends the mode and gives back the locks and the log that was kept, by itself.
 */
import { statement, walkMs } from '../postgres/index.ts';

/** The session may take its time. */
export const takeTime = statement<[]>('take-time')`select set_config('statement_timeout', '0', false)`;

/** Of the instance, and where its files are. `wal_level` is that of the running server. */
export const serverFacts = statement<
  [],
  { readonly folder: string; readonly wal_level: string; readonly instance: string }
>('server-facts')`
   select current_setting('data_directory') as folder, current_setting('wal_level') as wal_level,
          (select id::text from instance) as instance`;

/** False: another session makes a backup. */
export const beginOnlyBackup = statement<[], { readonly alone: boolean }>('begin-only-backup')`
   select pg_try_advisory_lock(hashtext('orbweaver-backup')) as alone`;

/** Seconds after which a backup that has said nothing counts as frozen. */
export const silentSeconds = 600;

/** Ends the session of the backup that is being made, if it has said nothing for so long: answers its process. */
export const endFrozenBackup = statement<[silent: number], { readonly pid: number }>('end-frozen-backup')`
   with frozen as materialized (
     select a.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and a.datname = current_database()
        and l.database = a.datid and (l.classid::bigint << 32 | l.objid::bigint) = hashtext('orbweaver-backup')
        and a.state_change < clock_timestamp() - $1 * interval '1 second'
        and (a.state <> 'active' or a.wait_event_type = 'Client')
   )
   select pid from frozen where pg_terminate_backend(pid, 10000)`;

/** Ends the backup mode of others, which gives their log back. The caller makes the only backup. Answers their processes. */
export const endLeftCopies = statement<[], { readonly pid: number }>('end-left-copies')`
   with left_over as materialized (
     select active_pid as pid from pg_replication_slots
      where temporary and slot_name = 'orbweaver_' || active_pid and active_pid <> pg_backend_pid()
   )
   select pid from left_over where pg_terminate_backend(pid, 10000)`;

/**
 * Keeps all segments of the archive where they are for the session: waits for those that are just being removed
 * (`mayRemoveSegments` in storage/archive/).
 */
export const holdArchive = statement<[]>('hold-archive', walkMs)`
   select pg_advisory_lock(hashtext('orbweaver-segments'))::text`;

/** Whether the session still holds both: a lost connection is given up, and what it held with it. */
export const holdsArchive = statement<[], { readonly held: boolean }>('holds-archive')`
   select count(*) = 2 as held from pg_locks where locktype = 'advisory' and granted and pid = pg_backend_pid()`;

/** Begins the copy: from now on the log is kept, also what checkpoints would recycle. Writes a checkpoint at once. */
export const beginBackup = statement<[label: string], { readonly lsn: string }>('begin-backup', walkMs)`
   select pg_backup_start($1, true)::text as lsn
     from (select lsn from pg_create_physical_replication_slot('orbweaver_' || pg_backend_pid(), true, true)) kept
    where kept.lsn is not null`;

/** Ends the copy, at the moment to which a restore leads. `label` is the file `backup_label` of the copy. */
export const endBackup = statement<
  [],
  { readonly lsn: string; readonly label: string; readonly moment: Date }
>('end-backup', walkMs)`
   select ended.lsn::text, ended.labelfile as label, clock_timestamp() as moment from pg_backup_stop(false) ended`;

/** The first and the last file of the log that the copy needs. */
export const walBetween = statement<
  [from: string, to: string],
  { readonly first: string; readonly last: string }
>('wal-between')`
   select pg_walfile_name($1::pg_lsn) as first, pg_walfile_name($2::pg_lsn - 1) as last`;
