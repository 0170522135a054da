/** Statements that /metrics reads. */
import type { DeadLetterClass } from '../../domain/dead-letter.ts';
import type { CrawlState, Ledger } from '../../contracts/crawl.ts';
import { statement } from '../postgres/index.ts';
import { isUnread } from '../unread.ts';
import type { HostState } from '../../domain/host-state.ts';
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

/** Hosts by their state: one row for each state that some host has. */
export const measureHosts = statement<[], { state: HostState; hosts: number }>('measure-hosts')`
   select ${hostState} as state, count(*) as hosts
     from host h group by 1`;

export interface QueueAges {
  /** Seconds since the last turn of the running crawl that has waited longest for a turn at a host; 0: none waits. */
  readonly turn: number;
  /** Seconds since the oldest body was fetched that still waits to be read; 0: no body waits. */
  readonly body: number;
  /** Seconds since the oldest lease ran out that was not returned; 0: there is none. */
  readonly lease: number;
}

/** Parked hosts are left out: another metric has them. */
export const measureQueues = statement<[], QueueAges>('measure-queues')`
   select coalesce((select max(extract(epoch from now() - greatest(q.served_at, c.started_at)))
                      from host_queue q
                      join crawl c on c.id = q.crawl_id and c.state = 'running'
                      join host h on h.id = q.host_id and h.parked_at is null
                     where q.has_queued and q.leased = 0), 0)::float8 as turn,
          coalesce((select extract(epoch from now() - min(fetched_at)) from url u where ${isUnread('u')}), 0)::float8 as body,
          coalesce((select extract(epoch from now() - min(lease_until))
                      from host where lease_token is not null and lease_until < now()), 0)::float8 as lease`;

export const measureDeadLetters = statement<[], { class: DeadLetterClass; letters: number }>(
  'measure-dead-letters',
)`
   select class, count(*) as letters from dead_letter group by class`;
