/**
 * What has to change in a database that was restored. What happened between the backup's moment and the restore nobody
 * knows: so every host counts as asked just now, and no number that was given out meanwhile is given out again.
 */
import { hostQuota } from '../hosts/index.ts';
import { statement, walkMs } from '../postgres/index.ts';

/** Seconds for which a host is left alone whose Crawl-delay is not known, though it may have been read meanwhile. */
const unknownSeconds = 30;

/** Connections of workers, APIs and other processes of Orbweaver to this database. */
export const connectedOthers = statement<[], { readonly connections: number }>('connected-others')`
   select count(*) as connections from pg_stat_activity
    where datname = current_database() and application_name = 'orbweaver' and pid <> pg_backend_pid()`;

/**
 * Each host counts as asked at this instant, so the delay in force there holds from now on. Retry-After, backoff and
 * whatever else holds for longer stay.
 */
export const countHostsAsAsked = statement<[], { readonly hosts: number }>('count-hosts-as-asked', walkMs)`
   with held as (
     update host h
        set asked_at = greatest(h.asked_at, now()), not_before = greatest(h.not_before, own.free_at),
            paced_until = greatest(h.paced_until, own.free_at)
       from (select id, case when r.host_id is null then now() + interval '${unknownSeconds} seconds' end as free_at
               from host left join robots r on r.host_id = host.id) own
      where h.id = own.id returning 1
   )
   select count(*) as hosts from held`;

/** Some have been signed out since, and some links were used. */
export const endSignIns = statement<[]>('end-sign-ins')`delete from sign_in`;

/** Each open crawl counts as having had a turn at each of its hosts at this instant. */
export const countTurnsAsTaken = statement<[]>('count-turns-as-taken', walkMs)`
   update host_queue q set asked_at = greatest(q.asked_at, now())
     from crawl c
    where c.id = q.crawl_id and c.state in ('seeding', 'running', 'paused', 'draining') and q.total > 0`;

/**
 * Hosts with a quota of their own, an operator's or one that their quality asks, count as asked so often as they may be
 * today: some of it was used meanwhile.
 */
export const spendQuotas = statement<[], { readonly hosts: number }>('spend-quotas', walkMs)`
   with spent as (
     update host
        set requests_day = to_char(now() at time zone coalesce(settings #>> '{windows,timeZone}', 'UTC'), 'YYYY-MM-DD'),
            requests_used = greatest(requests_used, ${hostQuota()})
      where ${hostQuota()} is not null returning 1
   )
   select count(*) as hosts from spent`;

/**
 * Ids, numbers and tokens go on far behind all that may have been given out; those of crawls, which people type, by less.
 * The instance gets another id, by which caches that outlived it are no longer its own: a URL that one of them has seen
 * since the backup would never be fetched.
 */
export const moveIdsOn = statement<[]>('move-ids-on')`
   with other as (update instance set id = gen_random_uuid())
   select setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, start_value) +
                 case when sequencename = 'crawl_id_seq' then 10000
                      when data_type = 'bigint'::regtype then 1000000000
                      when data_type = 'integer'::regtype then 100000 else 0 end)::text
     from pg_sequences where schemaname = 'public'`;

/**
 * Tells of the restore in the events of each crawl, under numbers behind all that may have been given out: whoever reads
 * events after a number goes on to hear of what comes.
 */
export const tellOfRestore = statement<[moment: string]>('tell-of-restore', walkMs)`
   insert into event (crawl_id, number, kind, data)
   select c.id, coalesce(max(e.number), 0) + 1000000000, 'crawl.restored', jsonb_build_object('moment', $1::text)
     from crawl c left join event e on e.crawl_id = c.id
    where c.removed_at is null group by c.id order by c.id`;
