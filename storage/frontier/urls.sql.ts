/** Looks up URLs, lists them, and locks their queues. */
import type { UrlState } from '../../contracts/crawl.ts';
import { statement } from '../postgres/index.ts';
import { holdQueues, onceHeld } from './queue-locks.ts';

/** The state of a URL in a crawl; no row: the crawl has not met the URL. @param key hex. */
export const findUrlState = statement<[origin: string, crawlId: string, key: string], { state: UrlState }>(
  'find-url-state',
)`
   select u.state from host h join url u on u.host_id = h.id
    where h.origin = $1 and u.crawl_id = $2 and u.key = decode($3, 'hex')`;

export interface CrawlUrlRow {
  readonly host_id: number;
  /** Hex. */
  readonly key: string;
  readonly url: string;
}

/**
 * Pages of a crawl that were answered or given up, host by host, after a place. Hosts come from `host_queue_crawl_host`
 * in their order, and the URLs of each host from the primary key. So a batch costs as much as the rows it returns and
 * the other URLs in between, however many rows came before.
 */
export const listCrawlUrls = statement<
  [crawlId: string, afterHost: number, afterKey: string, limit: number],
  CrawlUrlRow
>('list-crawl-urls')`
   select q.host_id, encode(u.key, 'hex') as key, u.url
     from host_queue q
    cross join lateral (
      select key, url from url
       where host_id = q.host_id and crawl_id = $1 and kind = 0 and state in ('done', 'dead', 'failed')
         and key > case when q.host_id = $2 then decode($3, 'hex') else ''::bytea end
       order by key limit $4
    ) u
    where q.crawl_id = $1 and q.host_id >= $2
    order by q.host_id, u.key limit $4`;

/**
 * Takes the locks that the url triggers of a transaction will need, in the order of queue-locks.ts: by host, then
 * crawl. `rows`: [{host_id, crawl_id}], in any order. Rows that do not exist yet are made by the triggers.
 */
export const lockHostQueues = statement<[rows: string]>('lock-host-queues')`
   select from host_queue q
    where (q.host_id, q.crawl_id) in (select host_id, crawl_id from json_to_recordset($1) as r(host_id bigint, crawl_id bigint))
    order by q.host_id, q.crawl_id for update`;

/** A URL that may be known to its crawl, to which a chain of redirects leads. */
export interface LedToRow {
  readonly host_id: number;
  readonly crawl_id: number;
  /** Hex. */
  readonly key: string;
  /** It may be a URL of the chain, and the next request for it will be another one. */
  readonly again: boolean;
  readonly hops: number;
  readonly due_in_ms: number;
  readonly chain: string | null;
  /** The chain that the URL takes over if it waits already; null: none of the cookies goes along to it. */
  readonly taken: string | null;
}

/** The chain of redirects that leads to a URL that waits. @param key hex */
export const readChain = statement<[hostId: string, crawlId: number, key: string], { chain: string }>(
  'read-chain',
)`
  select chain from url where host_id = $1 and crawl_id = $2 and key = decode($3, 'hex') and chain is not null`;

/**
 * Gives the chain to those of the URLs that wait and that its cookies may open; queues those again that have redirected and are to be asked for
 * again; one that is kept out, and may be let in one day, begins anew then. Does nothing where the URL has been answered meanwhile, or its crawl ends. The states are compared in a `case`
 * for the reason that queue-locks.ts tells of `stateOfNamed`.
 */
export const leadTo = statement<[rows: string]>('lead-to')`
   with r as materialized (
     select * from json_to_recordset($1) as r(
       host_id bigint, crawl_id bigint, key text, again boolean, hops smallint, due_in_ms float8, chain text, taken text)
   ), ${holdQueues('r')}
   update url u
      set chain = case when u.state in ('queued', 'leased') then r.taken when u.state = 'done' then r.chain end,
          (state, reason, redirect_to, hops, due_at) = (
            select 'queued'::url_state, 'redirect', null, r.hops, now() + r.due_in_ms * interval '1 millisecond'
             where u.state = 'done'
            union all
            select u.state, u.reason, u.redirect_to, u.hops, u.due_at where u.state <> 'done')
     from r join crawl c on c.id = r.crawl_id and c.state in ('seeding', 'running', 'paused')
    where u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = decode(r.key, 'hex')
      and case when u.state in ('queued', 'leased') then r.taken is not null
               when u.state = 'excluded' then u.chain is not null
               else r.again and u.state = 'done' and u.reason = 'redirect' end and ${onceHeld}`;
