/**
 * Statements that /metrics reads. None goes over what grows with pages and hosts: a count of such rows looks at a sample of
 * their table, which is all of it until the table is large, and the age of the oldest is read from the end of an index.
 */
import type { DeadLetterClass } from '../../domain/dead-letter.ts';
import type { CrawlState, Ledger } from '../../contracts/crawl.ts';
import { statement } from '../postgres/index.ts';
import { isUnread } from '../unread.ts';
import type { HostState } from '../../domain/host-state.ts';
import { earliestTurn } from '../feeding/index.ts';
import { hostState } from '../hosts/index.ts';

export interface CrawlMeasures extends Ledger {
  readonly crawls: Readonly<Partial<Record<CrawlState, number>>>;
  readonly pages: number;
  readonly pending: number;
  readonly rendering: number;
  readonly fetches: number;
  readonly bytes: number;
}

/** Crawls by state, and the ledgers of all of them summed up. */
export const measureCrawls = statement<[], CrawlMeasures>('measure-crawls')`
   select (select coalesce(json_object_agg(state, n), '{}')
             from (select state, count(*) as n from crawl group by state) by_state) as crawls,
          coalesce(sum(discovered), 0)::bigint as discovered, coalesce(sum(queued), 0)::bigint as queued,
          coalesce(sum(leased), 0)::bigint as leased, coalesce(sum(done), 0)::bigint as done,
          coalesce(sum(excluded), 0)::bigint as excluded, coalesce(sum(dead), 0)::bigint as dead,
          coalesce(sum(failed), 0)::bigint as failed, coalesce(sum(pages), 0)::bigint as pages,
          coalesce(sum(pending), 0)::bigint as pending, coalesce(sum(rendering), 0)::bigint as rendering, coalesce(sum(fetches), 0)::bigint as fetches,
          coalesce(sum(bytes), 0)::bigint as bytes
     from ledger`;

/** Percent of tables that a look may read. */
export interface SampleShares {
  readonly hosts: number;
  readonly letters: number;
  readonly queues: number;
  readonly recount: number;
}

const shareOf = (table: string, blocks: number): string =>
  `least(100, 100.0 * ${String(blocks)} * current_setting('block_size')::int / greatest(1, pg_relation_size('${table}')))::float8`;

/** 16 MB of each table, some 80,000 hosts; queues are chosen for a recount from 1 MB. */
export const sampleShares = statement<[], SampleShares>('sample-shares')`
   select ${shareOf('host', 2_000)} as hosts, ${shareOf('dead_letter', 2_000)} as letters,
          ${shareOf('host_queue', 2_000)} as queues, ${shareOf('host_queue', 128)} as recount`;

/** What a sample of so many percent, the parameter $1, stands for. */
const standsFor = (sum: string): string => `round(${sum} * 100 / $1::float8)::bigint`;

/** Hosts by their state: one row for each state that some host has. */
export const measureHosts = statement<[percent: number], { state: HostState; hosts: number }>(
  'measure-hosts',
)`
   select ${hostState} as state, ${standsFor('count(*)')} as hosts
     from host h tablesample system ($1::float8::real) group by 1`;

export const measureDeadLetters = statement<[percent: number], { class: DeadLetterClass; letters: number }>(
  'measure-dead-letters',
)`
   select class, ${standsFor('count(*)')} as letters
     from dead_letter tablesample system ($1::float8::real) group by class`;

/** URLs by the shard of their host. */
export const measureQueues = statement<[percent: number], { shard: number; queued: number; leased: number }>(
  'measure-queues',
)`
   select shard, ${standsFor('sum(queued)')} as queued, ${standsFor('sum(leased)')} as leased
     from host_queue tablesample system ($1::float8::real) group by shard`;

export interface ShardMeasures {
  readonly id: number;
  /** Seconds since the turn came of the known host that has waited longest; 0: none waits. */
  readonly turn: number;
  /** Seconds since its scheduler should have looked; 0: it rests, or no crawl is at work. */
  readonly silent: number;
}

export const measureShards = statement<[], ShardMeasures>('measure-shards')`
   select s.id, greatest(0, coalesce(extract(epoch from now() - ${earliestTurn('q.known and q.shard = s.id')}), 0))::float8 as turn,
          case when exists (select from crawl where state in ('seeding', 'running', 'draining'))
               then greatest(0, coalesce(extract(epoch from now() - greatest(s.looked_at, s.rests_until)), 0)) else 0 end::float8 as silent
     from shard s`;

export interface Lags {
  /** Seconds since the oldest body was fetched that still waits to be read; 0: no body waits. */
  readonly body: number;
  /** Seconds since the oldest lease ran out that was not returned; 0: there is none. */
  readonly lease: number;
  /** Seconds since the page of a standing crawl was due that is overdue longest; 0: none is. */
  readonly recrawl: number;
  /** Seconds since the oldest answer that is not compared yet, of crawls that tell changes; 0: there is none. */
  readonly changes: number;
  /** Seconds since the oldest event that an enabled webhook has not sent; 0: there is none. */
  readonly webhook: number;
  /** Seconds until the API key that expires next does; null: none will. */
  readonly key_expires: number | null;
}

/** Crawls and cursors that a look takes, at most. */
const mostCrawls = 1_000;
const age = (since: string): string =>
  `greatest(0, coalesce(extract(epoch from now() - (${since})), 0))::float8`;

export const measureLags = statement<[], Lags>('measure-lags')`
   select ${age(`select min(fetched_at) from url u where ${isUnread('u')}`)} as body,
          ${age('select min(lease_until) from host where fed and lease_token is not null and lease_until < now()')} as lease,
          ${age(`select min(due.next_due)
                   from (select s.crawl_id from standing_crawl s join crawl c on c.id = s.crawl_id and c.state = 'running'
                          limit ${String(mostCrawls)}) s
                  cross join generate_series(0, 2) class
                  cross join lateral (
                    select next_due from page_history h where h.crawl_id = s.crawl_id and h.class = class and h.next_due is not null
                     order by h.next_due limit 1) due`)} as recrawl,
          ${age(`select min(next.fetched_at)
                   from (select f.* from crawl c join crawl_changes f on f.crawl_id = c.id
                          where c.config -> 'changes' = 'true' and not f.is_over limit ${String(mostCrawls)}) f
                  cross join lateral (
                    select u.fetched_at from url u
                     where u.crawl_id = f.crawl_id and u.fetched_at is not null
                       and (u.fetched_at, u.host_id, u.key) > (
                         timestamptz 'epoch' + f.at_micros * interval '1 microsecond', f.at_host, f.at_key)
                     order by u.fetched_at, u.host_id, u.key limit 1) next`)} as changes,
          ${age(`select min(next.at)
                   from (select k.crawl_id, k.settled from webhook w join webhook_cursor k on k.webhook_id = w.id
                          where w.disabled_at is null and k.settled < k.last limit ${String(mostCrawls)}) k
                  cross join lateral (
                    select e.at from event e where e.crawl_id = k.crawl_id and e.number > k.settled
                     order by e.number limit 1) next`)} as webhook,
          (select extract(epoch from min(expires_at) - now()) from api_key
            where revoked_at is null and expires_at > now())::float8 as key_expires`;

export interface DatabaseMeasures {
  readonly bytes: number;
  /** Of the server, by whomever. */
  readonly connections: number;
  readonly most_connections: number;
  readonly commits: number;
  readonly rollbacks: number;
  readonly deadlocks: number;
  readonly blocks_cached: number;
  readonly blocks_read: number;
  /** Bytes of closed archive segments. */
  readonly segment_bytes: number;
  /** Complaints ever stored. */
  readonly complaints: number;
  /** Domains that have opted out. */
  readonly opt_outs: number;
}

/** A segment is a gigabyte, and people opt out one by one: few rows. */
export const measureDatabase = statement<[], DatabaseMeasures>('measure-database')`
   select pg_database_size(d.datid) as bytes,
          (select sum(numbackends) from pg_stat_database)::bigint as connections,
          current_setting('max_connections')::int as most_connections,
          d.xact_commit as commits, d.xact_rollback as rollbacks, d.deadlocks, d.blks_hit as blocks_cached, d.blks_read as blocks_read,
          (select coalesce(sum(length), 0)::bigint from segment) as segment_bytes,
          (select coalesce(max(id), 0) from complaint) as complaints,
          (select count(*) from opt_out) as opt_outs
     from pg_stat_database d where d.datname = current_database()`;

export interface SampleRecount {
  /** URLs that were counted. */
  readonly urls: number;
  /** URLs by which the counters of their hosts differ from them. */
  readonly wrong: number;
}

/** Counts the URLs of ten queues of at most a thousand URLs each anew, others each time. One snapshot: exact while crawls run. */
export const recountSample = statement<[percent: number], SampleRecount>('recount-sample')`
   with picked as materialized (
     select host_id, crawl_id, queued, leased, total from host_queue tablesample system ($1::float8::real)
      where total between 1 and 1000 order by random() limit 10
   )
   select coalesce(sum(actual.total), 0)::bigint as urls,
          coalesce(sum(abs(p.queued - actual.queued) + abs(p.leased - actual.leased) + abs(p.total - actual.total)), 0)::bigint as wrong
     from picked p
    cross join lateral (
      select count(*) filter (where u.state = 'queued') as queued, count(*) filter (where u.state = 'leased') as leased,
             count(*) as total
        from url u where u.host_id = p.host_id and u.crawl_id = p.crawl_id) actual`;
