/** How the URLs that fetches are about stand in their crawls. */
import type { UrlState } from '../../contracts/crawl.ts';
import { restingClass, restMs } from '../../domain/dead-letter.ts';
import type { UrlReason } from '../../domain/url-reason.ts';
import { behindBy } from '../../domain/priority/place.ts';
import { onceHeld } from '../frontier/index.ts';
import { statement } from '../postgres/index.ts';
import type { Instants } from './page-fetches.sql.ts';

/** The row `u` has its outcome, and its body was read. */
const isSettled = (u: string): string => `(${u}.state not in ('queued', 'leased') and ${u}.stage = 0)`;

/**
 * The outcome of the row `u` is young enough. A refusal counts as long as a page does; a failure is tried again whenever
 * somebody asks, but where the host has asked us to stay away. Each commit of an outcome sets `due_at`.
 */
const isFresh = (u: string): string =>
  `(case when ${u}.state in ('done', 'dead') then coalesce(${u}.fetched_at >= $since::timestamptz, false)
              when ${u}.state = 'failed'
              then ${u}.due_at >= $askedAt::timestamptz
                   or (${u}.reason = '${restingClass}' and ${u}.due_at > now() - ${String(restMs)} * interval '1 millisecond')
              else ${u}.due_at >= $since::timestamptz end)`;

interface Place {
  readonly crawlId: string;
  readonly hostId: string;
  /** Hex. */
  readonly key: string;
}
interface Asked {
  readonly askedAt: Instants['asked_at'];
  readonly since: Instants['since'];
}

export interface Visit {
  readonly host_id: number;
  readonly url: string;
  readonly state: UrlState;
  readonly reason: UrlReason | null;
  readonly detail: string | null;
  /** Status of the answer; null: there was none, or the URL failed otherwise. */
  readonly status: number | null;
  readonly redirect_to: string | null;
  readonly priority: number;
  readonly settled: boolean;
  readonly fresh: boolean;
  /** The page is as a browser has rendered it. */
  readonly rendered: boolean;
}

/** No row: the crawl has not met the URL. */
export const findVisit = statement<Place & Asked, Visit>('find-visit')`
   select u.host_id, u.url, u.state, u.reason, u.detail, case when u.state = 'failed' then d.status else u.status end as status,
          u.redirect_to, u.priority, ${isSettled('u')} as settled, ${isFresh('u')} as fresh,
          u.answer_hash is not null as rendered
     from url u
     left join dead_letter d on d.host_id = u.host_id and d.crawl_id = u.crawl_id and d.key = u.key
    where u.host_id = $hostId and u.crawl_id = $crawlId and u.key = decode($key, 'hex')`;

/** Those of the places, [{n, crawl_id, origin, key}] with keys in hex, whose URLs have their outcome. */
export const settledPlaces = statement<[places: string], { n: number }>('settled-places')`
   select p.n
     from json_to_recordset($1) as p(n int, crawl_id bigint, origin text, key text)
     join host h on h.origin = p.origin
     cross join lateral (
       select from url u
        where u.host_id = h.id and u.crawl_id = p.crawl_id and u.key = decode(p.key, 'hex') and ${isSettled('u')}
       limit 1) settled`;

/**
 * Crawls of a tenant that have an answer to the URL since an instant, latest answer first. Crawls that send more than
 * others would (headers, a session, cookies) are left out: what they have may be meant for them alone. `render`: as the
 * page is wanted; a redirect, which no browser renders, goes by what its crawl asks for.
 */
export const crawlsWithPage = statement<
  { tenantId: number; hostId: string; key: string; since: string; render: string; limit: number },
  { crawl_id: string }
>('crawls-with-page')`
   select c.id::text as crawl_id
     from host_queue q
     join crawl c on c.id = q.crawl_id and c.tenant_id = $tenantId and c.removed_at is null
      and (c.ended_at is null or c.ended_at >= $since::timestamptz)
      and coalesce(c.config -> 'headers', '{}') = '{}' and coalesce(c.config -> 'keepCookies', 'false') = 'false'
      and c.session_revision = 0
     join url u on u.host_id = q.host_id and u.crawl_id = c.id and u.key = decode($key, 'hex')
    where q.host_id = $hostId and u.kind = 0 and u.stage = 0 and u.state in ('done', 'dead')
      and u.fetched_at >= $since::timestamptz
      and (u.content_hash is not null or u.redirect_to is not null or u.state = 'dead')
      and case $render::text
            when 'never' then u.answer_hash is null
            when 'always' then u.answer_hash is not null or c.config ->> 'render' = 'always'
            else u.answer_hash is not null or coalesce(c.config ->> 'render', 'auto') <> 'never' end
    order by u.fetched_at desc limit $limit`;

/**
 * Queues a URL again that has its outcome, if that is not young enough; answers its host, or nothing. The caller must
 * hold the row of a crawl that goes on.
 */
export const queueAgain = statement<Place & Asked, { host_id: number }>('queue-again')`
   with held as materialized (
     select from host_queue where host_id = $hostId and crawl_id = $crawlId order by crawl_id for update
   ), taken as (
     update url u
        set state = 'queued', reason = 'recrawl', detail = null, due_at = now(), attempts = 0, tries = 0, reclaims = 0,
            hops = least(u.hops, 1), chain = null,
            priority = case when u.priority > 0 then u.priority else u.priority + ${behindBy} end
      where u.host_id = $hostId and u.crawl_id = $crawlId and u.key = decode($key, 'hex')
        and ${isSettled('u')} and not ${isFresh('u')} and ${onceHeld}
     returning u.host_id, u.crawl_id, u.key
   ), buried as (
     delete from dead_letter l using taken t
      where l.host_id = $hostId and l.crawl_id = t.crawl_id and l.key = t.key
   ), tried as (
     delete from attempt a using taken t
      where a.host_id = $hostId and a.crawl_id = t.crawl_id and a.key = t.key
   )
   select host_id from taken`;
