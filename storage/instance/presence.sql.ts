/** The worker processes at work. */
import type { StageLoad } from '../../domain/pressure.ts';
import { statement } from '../postgres/index.ts';

/**
 * Notes that a worker process is at work, and in which roles it can be, and forgets processes that were lost more than an
 * hour ago. If no process has fetched for a while, because the whole stack was down, that was an outage, which is over: the
 * time of the hosts was not spent on waiting for a place.
 * @param folder as in `Dependencies`
 */
export const noteWorker = statement<[id: string, roles: readonly string[], folder: string | null]>(
  'note-worker',
)`
   with forgotten as (
     delete from worker_process where seen_at < now() - interval '1 hour' and id <> $1
   ), last_seen as (
     select max(at) as since
       from (select seen_at as at from worker_process where 'fetch' = any (roles)
              union all select seen_at from outage where dependency = 'workers') told
   ), silence as (
     insert into outage (worker, dependency, since, seen_at, over, why)
     select $1, 'workers', since, now(), true, 'none was at work' from last_seen
      where 'fetch' = any ($2) and since < now() - interval '15 seconds'
     on conflict do nothing
   )
   insert into worker_process (id, roles, folder) values ($1, $2, $3) on conflict (id)
   do update set seen_at = now(), roles = excluded.roles`;

/** @param loads a `StageLoad` for each stage, as JSON */
export const noteLoads = statement<[id: string, loads: string]>('note-loads')`
   update worker_process set loads = $2 where id = $1`;

/** Of each stage the fullest that a worker at work has. */
export const measureLoads = statement<[], StageLoad>('measure-loads')`
   select distinct on (l.stage) l.stage, l.used, l.capacity
     from worker_process w, jsonb_to_recordset(w.loads) as l(stage text, used float8, capacity float8)
    where w.seen_at > now() - interval '15 seconds'
    order by l.stage, l.used / l.capacity desc`;

/** Worker processes at work, by role. */
export const measureWorkers = statement<[], { role: string; workers: number }>('measure-workers')`
   select role, count(*) as workers from worker_process, unnest(roles) as role
    where seen_at > now() - interval '15 seconds' group by role`;

/** Forgets a worker process that stops in order. The last one that fetches leaves the instant at which it did. */
export const forgetWorker = statement<[id: string]>('forget-worker')`
   with gone as (delete from worker_process where id = $1 returning roles)
   insert into outage (worker, dependency, since, seen_at, over, why)
   select $1, 'workers', now(), now(), true, 'the last one left' from gone
    where 'fetch' = any (roles)
      and not exists (select from worker_process
                       where id <> $1 and 'fetch' = any (roles) and seen_at > now() - interval '15 seconds')`;

/**
 * A row: a worker that fetches was lost, without having left in order, so recently that Temporal may not have noticed it
 * by missing heartbeats.
 */
export const lostFetchers = statement<[], { id: string }>('lost-fetchers')`
   select id from worker_process
    where 'fetch' = any (roles) and seen_at between now() - interval '21 minutes' and now() - interval '12 seconds'
    limit 1`;

/**
 * SQL: a worker that renders pages is at work. It gives way to all others, so on a busy machine its notes may be late; a
 * page that is not given to a browser since none is there keeps its plain reading.
 */
export const isAnyRenderer = `exists (select from worker_process
                         where 'render' = any (roles) and seen_at > now() - interval '2 minutes')`;

export const anyRenderer = statement<[], { has: boolean }>('any-renderer')`
   select ${isAnyRenderer} as has`;

export interface ControlPresence {
  /** Control workers that have reported within the last fifteen seconds. */
  readonly present: number;
  /** How many of these have been at work for more than a minute. */
  readonly steady: number;
  /** Control workers that were lost within the last two minutes: killed, crashed, or out of memory. */
  readonly lost: number;
}

/** Each worker reports every five seconds that it is at work. */
export const controlPresence = statement<[], ControlPresence>('control-presence')`
   select count(*) filter (where is_here) as present,
          count(*) filter (where is_here and started_at < now() - interval '1 minute') as steady,
          count(*) filter (where not is_here and seen_at > now() - interval '2 minutes') as lost
     from worker_process, lateral (select seen_at > now() - interval '15 seconds' as is_here) h
    where 'control' = any (roles)`;
