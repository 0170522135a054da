/** The audit of a crawl: its rows counted anew. */
import type { Ledger } from '../../contracts/crawl.ts';
import { storedStages } from '../../domain/stage.ts';
import { statement, walkMs } from '../postgres/index.ts';
import { isRendering, isUnread } from '../unread.ts';

export interface Recount extends Ledger {
  readonly pages: number;
  readonly pending: number;
  readonly rendering: number;
  readonly ledger_rendering: number;
  readonly looks_bytes: number;
  readonly ledger_looks_bytes: number;
  readonly unread_bytes: number;
  /** The same, as the ledger has it. */
  readonly ledger_unread_bytes: number;
  readonly fetches: number;
  readonly bytes: number;
}

/** The figures that the ledger should have, counted over every URL of the crawl, and with those that are forgotten. */
export const recountUrls = statement<[crawlId: string], Recount>('recount-urls', walkMs)`
   select count(u.key) + f.urls as discovered, count(*) filter (where state = 'queued') as queued,
          count(*) filter (where state = 'leased') as leased, count(*) filter (where state = 'done') as done,
          count(*) filter (where state = 'excluded') as excluded, count(*) filter (where state = 'dead') + f.urls as dead,
          count(*) filter (where state = 'failed') as failed,
          count(*) filter (where state = 'done' and status between 200 and 299 and kind = 0) as pages,
          count(*) filter (where stage > 0) as pending,
          count(*) filter (where ${isRendering('u')}) as rendering,
          (select coalesce(sum(rendering), 0)::bigint from ledger where crawl_id = $1) as ledger_rendering,
          (select coalesce(sum(looks_bytes), 0)::bigint from rendering where crawl_id = $1) as looks_bytes,
          (select coalesce(sum(looks_bytes), 0)::bigint from ledger where crawl_id = $1) as ledger_looks_bytes,
          coalesce(sum(u.bytes) filter (where ${isUnread('u')}), 0)::bigint as unread_bytes,
          (select coalesce(sum(unread_bytes), 0)::bigint from ledger where crawl_id = $1) as ledger_unread_bytes,
          (coalesce(sum(u.fetches), 0) + f.fetches)::bigint as fetches, (coalesce(sum(u.bytes), 0) + f.bytes)::bigint as bytes
     from (select coalesce(sum(urls), 0)::bigint as urls, coalesce(sum(fetches), 0)::bigint as fetches,
                  coalesce(sum(bytes), 0)::bigint as bytes from forgotten where crawl_id = $1) f
     left join url u on u.crawl_id = $1
    group by f.urls, f.fetches, f.bytes`;

export interface HostRecount {
  readonly hosts: number;
  readonly origin: string | null;
  readonly queued: number;
  readonly leased: number;
  readonly total: number;
  readonly actual_queued: number;
  readonly actual_leased: number;
  readonly actual_total: number;
}

/**
 * Hosts whose counters differ from their URLs; `hosts` is the same in each row. If there are none, one row comes with a
 * null origin.
 */
export const recountHosts = statement<[crawlId: string, limit: number], HostRecount>('recount-hosts', walkMs)`
   with actual as (
     select host_id, count(*) filter (where state = 'queued') as queued,
            count(*) filter (where state = 'leased') as leased, count(*) as total
       from url where crawl_id = $1 group by host_id
   ), compared as materialized (
     select host_id, coalesce(q.queued, 0) as queued, coalesce(q.leased, 0) as leased, coalesce(q.total, 0) as total,
            coalesce(a.queued, 0) as actual_queued, coalesce(a.leased, 0) as actual_leased,
            coalesce(a.total, 0) as actual_total
       from (select * from host_queue where crawl_id = $1) q full join actual a using (host_id)
   ), wrong as (
     select * from compared
      where (queued, leased, total) is distinct from (actual_queued, actual_leased, actual_total)
      order by host_id limit $2
   )
   select (select count(*) from compared) as hosts,
          case when wrong.host_id is not null then coalesce(h.origin, 'host ' || wrong.host_id) end as origin,
          coalesce(queued, 0) as queued, coalesce(leased, 0) as leased, coalesce(total, 0) as total,
          coalesce(actual_queued, 0) as actual_queued, coalesce(actual_leased, 0) as actual_leased,
          coalesce(actual_total, 0) as actual_total
     from (select) one left join wrong on true left join host h on h.id = wrong.host_id`;

/** Hosts of a crawl, counted over its queues, and as the ledger has them. */
export interface QueueRecount {
  readonly hosts: number;
  readonly waiting_hosts: number;
  readonly working_hosts: number;
  readonly ledger_hosts: number;
  readonly ledger_waiting_hosts: number;
  readonly ledger_working_hosts: number;
}

export const recountQueues = statement<[crawlId: string], QueueRecount>('recount-queues', walkMs)`
   select *
     from (select count(*) as hosts, count(*) filter (where queued > 0) as waiting_hosts,
                  count(*) filter (where leased > 0) as working_hosts
             from host_queue where crawl_id = $1) counted,
          (select coalesce(sum(hosts), 0)::bigint as ledger_hosts,
                  coalesce(sum(waiting_hosts), 0)::bigint as ledger_waiting_hosts,
                  coalesce(sum(working_hosts), 0)::bigint as ledger_working_hosts
             from ledger where crawl_id = $1) kept`;

export interface LeftOutRecount {
  readonly what: 'excluded' | 'cut' | 'unchanged';
  readonly name: string;
  readonly urls: number;
  readonly amount: number;
  readonly actual_urls: number;
  readonly actual_amount: number;
}

/** Sums of what a crawl has left out that differ from its URLs: as they are, and as they should be. */
export const recountLeftOut = statement<[crawlId: string], LeftOutRecount>('recount-left-out', walkMs)`
   with kept as (
     select what, name, sum(urls)::bigint as urls, sum(amount)::bigint as amount
       from left_out where crawl_id = $1 group by what, name
   ), counted as (
     select 'excluded' as what, coalesce(reason, 'unknown') as name, count(*) as urls, 0::bigint as amount
       from url where crawl_id = $1 and state = 'excluded' group by coalesce(reason, 'unknown')
     union all
     select 'cut', each.key, count(*), sum(each.value::bigint)::bigint
       from url cross join jsonb_each_text(cut) each where crawl_id = $1 and cut is not null group by each.key
     union all
     select 'unchanged', reason, count(*), 0
       from url where crawl_id = $1 and kind = 0 and state = 'done' and reason = 'not-modified' group by reason
   )
   select what, name, coalesce(c.urls, 0) as urls, coalesce(c.amount, 0) as amount,
          coalesce(k.urls, 0) as actual_urls, coalesce(k.amount, 0) as actual_amount
     from counted c full join kept k using (what, name)
    where coalesce(c.urls, 0) <> coalesce(k.urls, 0) or coalesce(c.amount, 0) <> coalesce(k.amount, 0)`;

/** How many rows of a crawl break each rule; every figure should be 0. */
export interface Violations {
  readonly failed_without_letter: number;
  readonly letter_without_failed: number;
  readonly letter_of_another_class: number;
  readonly token_without_lease: number;
  readonly staged_but_not_done: number;
  readonly read_without_page: number;
  readonly reading_without_content: number;
  readonly page_without_content: number;
  readonly alias_of_nothing: number;
  readonly unknown_parent: number;
  readonly waiting_for_nobody: number;
}

export const countViolations = statement<[crawlId: string], Violations>('count-violations', walkMs)`
   select
     (select count(*) from url u where u.crawl_id = $1 and u.state = 'failed' and not exists (
        select from dead_letter d where d.host_id = u.host_id and d.crawl_id = u.crawl_id and d.key = u.key)
     ) as failed_without_letter,
     (select count(*) from dead_letter d where d.crawl_id = $1 and not exists (
        select from url u where u.host_id = d.host_id and u.crawl_id = d.crawl_id and u.key = d.key and u.state = 'failed')
     ) as letter_without_failed,
     (select count(*) from dead_letter d join url u on u.host_id = d.host_id and u.crawl_id = d.crawl_id and u.key = d.key
       where d.crawl_id = $1 and d.class <> coalesce(u.reason, 'unknown')) as letter_of_another_class,
     (select count(*) from url where crawl_id = $1 and (state = 'leased') <> (lease_token is not null)
     ) as token_without_lease,
     (select count(*) from url where crawl_id = $1 and stage > 0 and state <> 'done') as staged_but_not_done,
     (select count(*) from url u
       where u.crawl_id = $1 and u.state = 'done' and u.kind = 0 and u.stage = 0 and u.status between 200 and 299
         and u.content_hash is not null and u.alias_host is null
         and not exists (
        select from reading p where p.crawl_id = u.crawl_id and p.content_id = u.content_id and p.job_id = 0)
     ) as read_without_page,
     (select count(*) from reading p where p.crawl_id = $1 and not exists (
        select from content c where c.crawl_id = p.crawl_id and c.id = p.content_id)
     ) as reading_without_content,
     (select count(*) from url u where u.crawl_id = $1 and u.content_id is not null and not exists (
        select from content c where c.crawl_id = u.crawl_id and c.id = u.content_id)
     ) as page_without_content,
     (select count(*) from url u where u.crawl_id = $1 and u.alias_host is not null and not exists (
        select from url o where o.host_id = u.alias_host and o.crawl_id = u.crawl_id and o.key = u.alias_key)
        and not exists (select from forgotten f where f.host_id = u.alias_host and f.crawl_id = $1)
     ) as alias_of_nothing,
     (select count(*) from url u where u.crawl_id = $1 and u.parent_host is not null and not exists (
        select from url o where o.host_id = u.parent_host and o.crawl_id = u.crawl_id and o.key = u.parent_key)
        and not exists (select from forgotten f where f.host_id = u.parent_host and f.crawl_id = $1)
     ) as unknown_parent,
     (select count(*) from url u where u.crawl_id = $1 and u.stage = ${String(storedStages.resources)} and not exists (
        select from rendering g
         where g.host_id = u.host_id and g.crawl_id = u.crawl_id and g.key = u.key and g.due_at is not null)
     ) as waiting_for_nobody`;
