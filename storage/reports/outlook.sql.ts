/** Hosts for which a crawl waits. */
import type { CrawlHost } from '../../contracts/http/crawl-hosts.ts';
import type { WaitingHost } from '../../contracts/http/outlook.ts';
import { defaultDelayMs } from '../../domain/pace.ts';
import { turnInMs, hostSetting, hostState } from '../hosts/index.ts';
import { mayKnow } from '../may-know.ts';
import { statement } from '../postgres/index.ts';

export interface WaitingRow {
  readonly waiting: number;
  /** A URL is in hand, or is due at a host that may be asked. */
  readonly ready: boolean;
  readonly items: readonly (Omit<WaitingHost, 'until'> & {
    /** Epoch milliseconds. */
    readonly until: number | null;
  })[];
}

/**
 * Milliseconds between two requests of the crawl `c` at the host `h`: as in the last slice, or else as far as the delay is known
 * without robots.txt.
 */
const asked = `(c.config ->> 'delaySeconds')::float8 * 1000`;
const set = `round(${hostSetting('delaySeconds', 'h.')}::numeric * 1000)`;
const base = `greatest(${asked}, coalesce(${set}, h.base_delay_ms, ${asked}, ${String(defaultDelayMs)}))`;
export const delayMs = `greatest(case when h.slowdown = 0 then ${base}
                              else greatest(${base}, ${String(defaultDelayMs)}) * power(2, h.slowdown) end,
                         coalesce(h.took_ms, 0))`;

export interface CrawlHostRow extends Omit<CrawlHost, 'domain'> {
  readonly id: number;
}

/** The hosts at which a crawl has URLs, in the order in which the instance has met them. */
export const hostsOfCrawl = statement<[crawlId: string, after: string, limit: number], CrawlHostRow>(
  'hosts-of-crawl',
)`
   select h.id, h.origin, q.total as urls, q.queued, q.leased,
          case when not q.has_queued then null
               when q.logged_out_at is not null and h.paused_at is null then 'logged-out'
               when (${hostState})::text in ('paused', 'parked', 'backoff', 'closed') then (${hostState})::text end as waits
     from host_queue q join host h on h.id = q.host_id
    where q.crawl_id = $1 and q.host_id > $2::bigint order by q.host_id limit $3`;

/**
 * The hosts for which a crawl waits. Hosts are sorted by their own rows alone, however many they are. Of their URLs
 * only those up to the first that is due are looked at; if no URL is due, only URLs at the few hosts that are named.
 */
export const waitingHosts = statement<[crawlId: string, limit: number], WaitingRow>('waiting-hosts')`
   with here as materialized (
     select h.id, h.origin, q.queued,
            case when q.logged_out_at is not null then q.logged_out when ${mayKnow('c')} then h.last_error end as last_error,
            case when q.logged_out_at is not null and h.paused_at is null then 'logged-out' else (${hostState})::text end as state,
            greatest(h.not_before, now() + ${turnInMs} * interval '1 millisecond') as not_before, h.closed_until
       from crawl c join host_queue q on q.crawl_id = c.id join host h on h.id = q.host_id
      where c.id = $1 and q.has_queued
   ), held as materialized (
     select *, case when state in ('paused', 'parked', 'logged-out', 'backoff', 'closed') then state
                    when not_before > now() + interval '1 minute' then 'delay' end as why
       from here
   ), ready as materialized (
     select exists (select from host_queue where crawl_id = $1 and leased > 0)
            or exists (select from held h
                        cross join lateral (select from url u
                                             where u.host_id = h.id and u.crawl_id = $1 and u.state = 'queued'
                                               and u.due_at <= now() limit 1) due
                        where h.why is null) as yes
   ), named as (
     select * from held where why is not null or not (select yes from ready)
      order by state in ('parked', 'logged-out'), queued desc, id limit $2
   )
   select (select count(*) from held where why is not null or not (select yes from ready)) as waiting,
          (select yes from ready) as ready,
          (select coalesce(json_agg(json_build_object(
                    'origin', origin, 'queued', queued, 'why', coalesce(why, 'retry'), 'lastError', last_error,
                    'until', (extract(epoch from case
                                when why in ('parked', 'paused', 'logged-out') then null
                                when why = 'closed' then closed_until
                                when why is not null then not_before
                                else (select min(due_at) from url u
                                       where u.host_id = named.id and u.crawl_id = $1 and u.state = 'queued')
                              end) * 1000)::float8)
                    order by state in ('parked', 'logged-out'), queued desc, id), '[]') from named) as items`;
