/** Outages that worker processes see. */
import type { OutDependency, Outage } from '../../domain/outage.ts';
import { statement, type Queryable } from '../postgres/index.ts';

/**
 * Notes what a worker process sees of outages, and forgets those that nobody has seen for a day. `rows`: [{dependency,
 * since_ago, seen_ago, over, why}], ages in milliseconds; an outage that goes on keeps its beginning.
 */
export const noteOutages = statement<[worker: string, rows: string]>('note-outages')`
   with forgotten as (
     delete from outage where seen_at < now() - interval '1 day'
   ), told as materialized (
     select r.*, now() - r.seen_ago * interval '1 millisecond' as seen_at
       from json_to_recordset($2) as r(dependency text, since_ago float8, seen_ago float8, over boolean, why text)
   ), known as (
     update outage o set seen_at = t.seen_at, over = t.over, why = t.why
       from told t where o.worker = $1 and o.dependency = t.dependency and not o.over
     returning o.dependency
   )
   insert into outage (worker, dependency, since, seen_at, over, why)
   select $1, dependency, now() - since_ago * interval '1 millisecond', seen_at, over, why from told
    where dependency not in (select dependency from known)
   on conflict (worker, dependency, since) do update
     set seen_at = excluded.seen_at, over = excluded.over, why = excluded.why`;

/** The processes that fetch and are at work. */
const fetchers = `select count(*) from worker_process
                    where 'fetch' = any (roles) and seen_at > now() - interval '15 seconds'`;

const outagesSeen = statement<
  [],
  {
    dependency: OutDependency;
    since: Date;
    why: string | null;
    workers: number;
    of: number;
  }
>('outages-seen')`
   select dependency, min(since) as since, (array_agg(why order by since))[1] as why, count(*)::int as workers,
          greatest(count(*), (${fetchers}))::int as of
     from outage where not over and seen_at > now() - interval '15 seconds' group by dependency
   union all
   select 'workers', max(seen_at), 'none has reported since', count(*)::int, count(*)::int
     from worker_process where 'fetch' = any (roles)
   having max(seen_at) < now() - interval '15 seconds'
   union all
   select 'region', seen_at, 'no worker of ' || name || ' has reported since', 0, greatest(1, (${fetchers}))::int
     from region where seen_at < now() - interval '15 seconds' and named_at > now() - interval '15 seconds'
    order by since`;

/** What is out now, the longest first. What a process saw before it died does not count. */
export const currentOutages = async (db: Queryable): Promise<Outage[]> =>
  (await outagesSeen(db)).map(({ since, ...outage }) => ({ ...outage, since: since.toISOString() }));
