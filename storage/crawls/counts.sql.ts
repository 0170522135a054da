/** What a crawl has counted, and what it waits for. */
import type { DeadLetterClass } from '../../domain/dead-letter.ts';
import type { ExcludedReason } from '../../domain/url-reason.ts';
import { mostNeeded, type CutKind } from '../../domain/limits.ts';
import type { ParkedHost } from '../../contracts/http/outlook.ts';
import { mayKnow } from '../may-know.ts';
import { isAnyRenderer } from '../instance/index.ts';
import { statement } from '../postgres/index.ts';
import type { CrawlStands } from '../../domain/crawl-life.ts';
import { crawlTime } from './crawl-time.ts';
import type { CrawlRate } from '../../contracts/http/counts.ts';
import type { MovedSeed, RejectedSeed } from '../../contracts/http/crawls.ts';

export interface CrawlCounts extends RecentRate {
  readonly accepted_seeds: number;
  readonly rejected_seeds: number;
  readonly moved_seeds: number;
  /** Accepted seeds that are not admitted yet. */
  readonly waiting_seeds: number;
  readonly hosts: number;
  readonly waiting_hosts: number;
  readonly working_hosts: number;
  readonly parked_hosts: number;
  /** Each reason with the number of URLs that it excludes, most first; null: no URL is excluded. */
  readonly excluded: readonly { readonly reason: ExcludedReason; readonly count: number }[] | null;
  /** Pages that had not changed since they were last fetched (304). */
  readonly unchanged: number;
  /** Parts of sites that are in quarantine as traps. */
  readonly kept_back: number;
  /** Files that pages need and that are still to be fetched, counted up to `mostNeeded`. */
  readonly needed: number;
  /** Pages that wait for a browser, or for what their scripts have asked for. */
  readonly rendering: number;
  /**
   * Each kind of cut (domain/limits.ts), with the number of URLs where it was made and the amount left out; null: no
   * cut.
   */
  readonly cut:
    | readonly { readonly kind: CutKind; readonly places: number; readonly amount: number }[]
    | null;
  /** Each class with its count, most first; null: there are no dead letters. */
  readonly dead_letters: readonly { readonly class: DeadLetterClass; readonly count: number }[] | null;
}

export interface UnreadPages {
  readonly pages: number;
  /** Of their bodies, as they came over the wire. */
  readonly bytes: number;
}

/** Fetched pages that wait to be read, of all crawls that have not ended; by the ledger, so that no URL is counted. */
export const unreadPages = statement<[], UnreadPages>('unread-pages')`
   select coalesce(sum(l.pending - l.rendering), 0)::bigint as pages, coalesce(sum(l.unread_bytes), 0)::bigint as bytes
     from crawl c join ledger l on l.crawl_id = c.id
    where c.state not in ('finished', 'cancelled', 'failed')`;

/** Most answers of which a rate is made, so that a fast crawl costs no more than a slow one. */
const latest = 1_000;

export interface RecentRate {
  /** URLs answered a second: over the last `seconds`, or over the latest so many of them (`latest`). */
  readonly per_second: number;
  /** The same by the first digit of the status. */
  readonly statuses: CrawlRate['statuses'];
}

const classes = [2, 3, 4, 5].map(String);

/** A page that has not changed has the status of its earlier answer, but was answered 304. */
const rate = `select n / seconds as per_second,
                  json_build_object(${classes.map((digit) => `'${digit}xx', of_${digit} / seconds`).join(', ')}) as statuses
             from (select count(*) as n, ${classes.map((digit) => `count(*) filter (where class = ${digit}) as of_${digit}`).join(', ')},
                          case when count(*) < ${String(latest)} then $2
                               else greatest(extract(epoch from now() - min(fetched_at))::float8, 0.001) end as seconds
                     from (select fetched_at, case when reason = 'not-modified' then 3 else status / 100 end as class
                             from url
                            where crawl_id = $1 and fetched_at > now() - $2 * interval '1 second'
                            order by fetched_at desc limit ${String(latest)}) answered) recent`;

/** URLs of a crawl answered a second, over the last `seconds`. */
export const recentRate = statement<[crawlId: string, seconds: number], RecentRate>('recent-rate')`
   ${rate}`;

/**
 * Counts of a crawl beside those of its URLs, all at one moment. They come from one statement, since a round trip costs
 * more than a count. Of hosts only those are looked at that are parked, or whose robots.txt was cut: they are few.
 */
export const countCrawl = statement<[crawlId: string, seconds: number], CrawlCounts>('count-crawl')`
   select *
     from (select seeds_accepted as accepted_seeds, seeds_rejected as rejected_seeds,
                  seeds_accepted - seeds_taken as waiting_seeds
             from crawl where id = $1) seeds,
          (select count(*) as moved_seeds from seed_place where crawl_id = $1 and moved_from is not null) moved,
          (select coalesce(sum(hosts), 0)::bigint as hosts, coalesce(sum(waiting_hosts), 0)::bigint as waiting_hosts,
                  coalesce(sum(working_hosts), 0)::bigint as working_hosts, coalesce(sum(rendering), 0)::bigint as rendering
             from ledger where crawl_id = $1) hosts,
          (select count(*) as parked_hosts
             from host h join host_queue q on q.host_id = h.id and q.crawl_id = $1 and q.has_queued
            where h.parked_at is not null or q.logged_out_at is not null) parked,
          (${rate}) rate,
          (select json_agg(json_build_object('reason', name, 'count', urls) order by urls desc, name) as excluded
             from (select name, sum(urls) as urls from left_out where crawl_id = $1 and what = 'excluded'
                    group by name having sum(urls) > 0) reasons) excluded,
          (select coalesce(sum(urls), 0)::bigint as unchanged
             from left_out where crawl_id = $1 and what = 'unchanged') same,
          (select count(*)::int as kept_back from quarantine
            where crawl_id = $1 and verdict in ('held', 'confirmed') and rule <> 'soft-404') kept,
          (select count(*)::int as needed
             from (select from url where crawl_id = $1 and kind = 3 and state in ('queued', 'leased')
                    limit ${mostNeeded}) files) needed,
          (select json_agg(json_build_object('kind', name, 'places', places, 'amount', amount) order by name) as cut
             from (select name, sum(urls) as places, sum(amount) as amount
                     from (select name, urls, amount from left_out where crawl_id = $1 and what = 'cut'
                           union all
                           select each.key, 1, each.value::bigint
                             from robots r join host_queue q on q.host_id = r.host_id and q.crawl_id = $1
                            cross join jsonb_each_text(r.cut) each where r.cut is not null) places
                    group by name having sum(urls) > 0) kinds) cut,
          (select json_agg(json_build_object('class', class, 'count', letters) order by letters desc, class) as dead_letters
             from (select class, count(*) as letters from dead_letter where crawl_id = $1 group by class) classes) dead`;

export interface CrawlOutlook extends CrawlStands {
  /** Milliseconds that the crawl has run, without its pauses; null: it has not begun. */
  readonly running_ms: number | null;
  readonly queued: number;
  readonly leased: number;
  readonly pending: number;
  /** Of these, pages that wait for a browser, or for what their scripts have asked for. */
  readonly rendering: number;
  readonly pages: number;
  readonly done: number;
  readonly bytes: number;
  /** Pages by counter (domain/finish-criteria.ts). */
  readonly counters: Readonly<Record<string, number>>;
  /** Queued URLs at parked hosts from which the crawl waits for no answer, and at hosts that have logged it out. */
  readonly parked: number;
  /** Something that pages need is queued at a host that is not parked and has not logged the crawl out, or being fetched. */
  readonly needs: boolean;
  /** A worker that renders pages is at work. */
  readonly renders: boolean;
  /** A limit has left out URLs that were queued. */
  readonly cut: boolean;
  /** The crawl waits for an answer of parked hosts (`askParkedHosts`). */
  readonly asking: boolean;
  /** The crawl has seeds that are not admitted yet. */
  readonly unseeded: boolean;
  /** Settings were changed, and the frontier is not yet judged by them. */
  readonly edited: boolean;
  /** Parts of sites that are in quarantine as traps. */
  readonly kept_back: number;
}

/**
 * One snapshot of what a crawl has left to do. Statements look for seeds in the order of their lines, here and
 * elsewhere: without an order the planner assumes that a third of the seeds are left, and goes over millions that are
 * admitted.
 */
export const crawlOutlook = statement<[crawlId: number], CrawlOutlook>('crawl-outlook')`
   select c.state, c.cause, c.reason, (extract(epoch from ${crawlTime}) * 1000)::float8 as running_ms,
          coalesce(l.queued, 0) as queued, coalesce(l.leased, 0) as leased, coalesce(l.pending, 0) as pending, coalesce(l.rendering, 0) as rendering,
          coalesce(l.pages, 0) as pages, coalesce(l.done, 0) as done,
          coalesce(l.bytes, 0) as bytes,
          coalesce((select json_object_agg(counter, pages)
                      from (select counter, sum(pages)::bigint as pages from page_counter
                             where crawl_id = $1 group by counter) n), '{}') as counters,
          (select coalesce(sum(q.queued), 0)::bigint from host h join host_queue q on q.host_id = h.id
            where q.crawl_id = c.id and (h.parked_at is not null and q.asking is null or q.logged_out_at is not null)) as parked,
          exists (select from url u join host h on h.id = u.host_id
                   where u.crawl_id = $1 and u.kind = 3 and u.state in ('queued', 'leased') and h.parked_at is null
                     and not exists (select from host_queue q where q.host_id = u.host_id and q.crawl_id = $1 and q.logged_out_at is not null)) as needs,
          ${isAnyRenderer} as renders,
          (select coalesce(sum(urls), 0) > 0 from left_out
            where crawl_id = $1 and what = 'excluded' and name = 'crawl-limit') as cut,
          exists (select from host_queue q where q.crawl_id = c.id and q.asking is not null) as asking,
          (select s.line from seed s where s.crawl_id = c.id and s.line > c.seeded_line order by s.line limit 1) is not null as unseeded,
          exists (select from crawl_config v where v.crawl_id = c.id and v.state = 'pending') as edited,
          (select count(*)::int from quarantine t
            where t.crawl_id = c.id and t.verdict in ('held', 'confirmed') and t.rule <> 'soft-404') as kept_back
     from crawl c
     left join (select crawl_id, sum(queued)::bigint as queued, sum(leased)::bigint as leased,
                       sum(pending)::bigint as pending, sum(rendering)::bigint as rendering, sum(pages)::bigint as pages, sum(done)::bigint as done,
                       sum(bytes)::bigint as bytes
                  from ledger where crawl_id = $1 group by crawl_id) l on l.crawl_id = c.id
    where c.id = $1`;

/** Hosts that are parked, or have logged the crawl out, at which the crawl has met URLs, most queued first. */
export const listParkedHosts = statement<[crawlId: string, limit: number], ParkedHost>('list-parked-hosts')`
   select h.origin, q.queued,
          case when q.logged_out_at is null then 'parked' else 'logged-out' end as why,
          case when q.logged_out_at is not null then q.logged_out when ${mayKnow('c')} then h.last_error end as "lastError"
     from host h join host_queue q on q.host_id = h.id join crawl c on c.id = q.crawl_id
    where (h.parked_at is not null or q.logged_out_at is not null) and q.crawl_id = $1
    order by q.queued desc, h.id limit $2`;

export const listRejectedSeeds = statement<[crawlId: string, limit: number], RejectedSeed>(
  'list-rejected-seeds',
)`
   select line, url, rejected as reason from seed
    where crawl_id = $1 and rejected is not null order by line limit $2`;

export const listMovedSeeds = statement<[crawlId: string, limit: number], MovedSeed>('list-moved-seeds')`
   select moved_from as from, moved_to as to from seed_place
    where crawl_id = $1 and moved_from is not null order by moved_from limit $2`;
