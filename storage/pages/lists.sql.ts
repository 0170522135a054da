/** The lists of pages: their URLs in the order of the feed, how far the feed is final, and where answers are stored. */
import type { PageMeta } from '../../contracts/http/page-meta.ts';
import type { ListedField } from '../../contracts/page-fields.ts';
import type { PageFields } from '../../contracts/page-rules.ts';
import { storedKinds, type StoredKind } from '../../domain/url-kind.ts';
import { fits, readFeed, withinFeed, type FeedParams, type FilterParams } from './page-feed.ts';
import type { FoundRecord } from '../archive/index.ts';
import { statement } from '../postgres/index.ts';

/** What is listed of a page as Postgres has it, and what its answer is made with. */
export interface PageFeedRow extends Readonly<Record<ListedField, unknown>> {
  /** Place in the feed: microseconds since 1970, host and key. */
  readonly micros: number;
  readonly host_id: number;
  readonly key: string;
  /** The page's links, packed (storage/pages/outlinks.ts), and the origin they start from; null where there are none. */
  readonly outlinks: string | null;
  /** Null too if it was not asked for. */
  readonly meta: PageMeta | null;
  readonly fields: PageFields | null;
  readonly origin: string | null;
  readonly kind: StoredKind;
  /** False: the row does not fit the filters, and only marks where looking ended. */
  readonly fits: boolean;
  /** How many rows were looked at, this one included. */
  readonly looked: number;
}

export interface PagePlace {
  readonly micros: number;
  readonly hostId: string;
  /** Hex. */
  readonly key: string;
}

/**
 * The URLs of a crawl that were answered and have their outcome, in the order of `url_pages`, after a place and up to a
 * horizon (null: all). Of the next `mostLooked` rows, those come that fit the filters (null: any). If so many rows were
 * looked at, the last of them comes too, whether it fits or not. storage/pages/page-feed.ts says which columns of an
 * extraction are read, and how far links and metadata are read.
 */
export const listPages = statement<FeedParams & { host: number | null; mostLooked: number }, PageFeedRow>(
  'list-pages',
)`
   with feed as (
     select * from (
       select u.*, ${fits('u')} and ($host::bigint is null or u.host_id = $host) as fits,
              row_number() over (order by u.fetched_at, u.host_id, u.key) as looked
         from url u
        where u.crawl_id = $crawlId and u.fetched_at is not null and ${withinFeed}
        order by u.fetched_at, u.host_id, u.key limit $mostLooked
     ) walk
      where fits or looked = $mostLooked
      order by fetched_at, host_id, key limit $limit
   ), ${readFeed}`;

/** The place in the feed before the latest `limit` pages up to the horizon. No row: there are no more than that. */
export const placeOfLatest = statement<Pick<FeedParams, 'crawlId' | 'horizon' | 'limit'>, PagePlace>(
  'place-of-latest',
)`
   select (extract(epoch from u.fetched_at) * 1000000)::bigint as micros, u.host_id::text as "hostId", encode(u.key, 'hex') as key
     from url u
    where u.crawl_id = $crawlId and u.fetched_at is not null and u.kind = ${String(storedKinds.page)}
      and ($horizon::bigint is null or u.fetched_at < timestamptz 'epoch' + $horizon::bigint * interval '1 microsecond')
    order by u.fetched_at desc, u.host_id desc, u.key desc offset $limit limit 1`;

/**
 * As `listPages`, for one host with few URLs (`hostShare`): all its URLs are read by the primary key, and sorted. They
 * are kept apart (`materialized`): if Postgres expects many rows at the host, the order would otherwise make it walk
 * the whole crawl.
 */
export const listPagesOfHost = statement<FeedParams & { host: number }, PageFeedRow>('list-pages-of-host')`
   with at_host as materialized (
     select * from url where host_id = $host and crawl_id = $crawlId and fetched_at is not null
   ), feed as (
     select u.*, true as fits, 0::bigint as looked from at_host u
      where ${withinFeed} and ${fits('u')}
      order by u.fetched_at, u.host_id, u.key limit $limit
   ), ${readFeed}`;

/** One URL of a crawl that was answered, as `listPages` lists it, whether it has its outcome or not. @param key hex */
export const pageByKey = statement<
  { crawlId: string; host: number; key: string } & Pick<FeedParams, 'fields' | 'mostBytes'>,
  PageFeedRow
>('page-by-key')`
   with feed as (
     select u.*, true as fits, 1::bigint as looked from url u
      where u.host_id = $host and u.crawl_id = $crawlId and u.key = decode($key, 'hex') and u.fetched_at is not null
   ), ${readFeed}`;

/**
 * The instant up to which the pages feed of an open crawl is final, as microseconds since 1970: before it, no row will
 * still appear, and no row will change in the feed. Rows get `fetched_at` after their transaction began, so no row that
 * is still to be committed comes before the oldest open transaction; and the feed does not pass a body that waits for
 * extraction. The caller must ask before it reads the feed, in a statement of its own: whatever this statement saw
 * committed, the later snapshot sees too. The second that is taken off covers the instant between the start of a
 * transaction and its appearance in pg_stat_activity. A reader that is past a place of the feed (`after`, microseconds; null:
 * the start), and does not mind changes before that place, need not wait for bodies there.
 */
export const pagesHorizon = statement<[crawlId: string, after: number | null], { micros: number }>(
  'pages-horizon',
)`
   with unfinished as materialized (
     select fetched_at from url
      where crawl_id = $1 and stage > 0
        and ($2::bigint is null or fetched_at >= timestamptz 'epoch' + $2::bigint * interval '1 microsecond')
   )
   select (extract(epoch from least(
            (select min(fetched_at) from unfinished),
            (select min(xact_start) from pg_stat_activity
              where datname = current_database() and application_name = 'orbweaver' and pid <> pg_backend_pid()),
            now()) - interval '1 second') * 1000000)::bigint as micros`;

/** How many URLs a crawl has at a host, in any state. No row: the crawl has never met the host. */
export const hostShare = statement<[crawlId: string, origin: string], { host_id: number; urls: number }>(
  'host-share',
)`
   select q.host_id, q.total as urls
     from host h join host_queue q on q.host_id = h.id and q.crawl_id = $1
    where h.origin = $2`;

/**
 * The record of body `b` was brought by the tenant of crawl `k`, who may see all of it. A record that is older than the
 * column `tenant_id` is the tenant's if no other tenant has the body.
 */
export const isOurs = `coalesce(b.tenant_id = k.tenant_id,
                   b.hash is not null
                   and not exists (select from content c where c.hash = b.hash and c.tenant_id <> k.tenant_id))`;

const place = (record: string, segment: string): string =>
  `json_build_object('segment', ${record}.segment, 'name', ${segment}.name, 'folder', ${segment}.folder,
                             'at', ${record}.at, 'length', ${record}.length)`;

interface StoredRecords {
  readonly n: number;
  readonly host_id: number;
  /** Of the answer's body, in hex: that of the page, unless a browser rendered it; null: none is stored. */
  readonly answer: string | null;
  /** Of the answer that first brought the body; null: there is none. */
  readonly body: FoundRecord | null;
  /** That answer came to a crawl of the same tenant. Else the crawl has the body, but not its head and its request. */
  readonly is_ours: boolean;
  /** Of the URL's own answer, if its body was known by then, or it brought no page. */
  readonly own: FoundRecord | null;
  /** The URL of the same crawl that stands for the body, if it comes before this one and fits the filters too. */
  readonly original: {
    readonly hostId: number;
    /** Hex. */
    readonly key: string;
    readonly url: string;
    readonly own: FoundRecord | null;
  } | null;
}

/**
 * Where the answers of some URLs lie. `rows`: [{n, origin, key, hash}], bytes in hex; a hash is null where no page was
 * read. The filters are those of the feed that the URLs come from (null: any), `since` in microseconds since 1970.
 */
export const storedRecords = statement<
  FilterParams & { crawlId: string; rows: string; since: number; origin: string | null },
  StoredRecords
>('stored-records')`
   select p.n, h.id as host_id, coalesce(encode(u.answer_hash, 'hex'), p.hash) as answer, case when b.hash is not null then ${place('b', 'bs')} end as body,
          ${isOurs} as is_ours, case when r.host_id is not null then ${place('r', 'rs')} end as own,
          case when o.host_id is not null then json_build_object(
            'hostId', o.host_id, 'key', encode(o.key, 'hex'), 'url', o.url,
            'own', case when x.host_id is not null then ${place('x', 'xs')} end) end as original
     from json_to_recordset($rows) p (n int, origin text, key text, hash text)
     join host h on h.origin = p.origin
     join crawl k on k.id = $crawlId
     left join (revisit r join segment rs on rs.id = r.segment)
            on r.host_id = h.id and r.crawl_id = $crawlId and r.key = decode(p.key, 'hex')
     left join url u on u.host_id = h.id and u.crawl_id = $crawlId and u.key = decode(p.key, 'hex')
     left join (body b join segment bs on bs.id = b.segment) on b.hash = coalesce(u.answer_hash, decode(p.hash, 'hex'))
     left join lateral (
            select * from url where host_id = u.alias_host and crawl_id = $crawlId and key = u.alias_key offset 0) o
            on coalesce(o.answer_hash, o.content_hash) = b.hash
           and (o.fetched_at, o.host_id, o.key) < (u.fetched_at, u.host_id, u.key)
           and o.fetched_at >= timestamptz 'epoch' + $since::bigint * interval '1 microsecond'
           and ${fits('o')}
           and ($origin::text is null or o.host_id = (select id from host where origin = $origin))
     left join (revisit x join segment xs on xs.id = x.segment)
            on x.host_id = o.host_id and x.crawl_id = $crawlId and x.key = o.key`;

/** The URL of a crawl by its key, and its body, if one was stored. */
export const findStored = statement<
  [origin: string, crawlId: string, key: Uint8Array],
  {
    host_id: number;
    key: Buffer;
    url: string;
    content_hash: Buffer;
    /** Of the answer's own body, where `content_hash` is that of the page as a browser rendered it. */
    answer_hash: Buffer;
    content_type: string | null;
    /** Its X-Robots-Tag. */
    robots_tag: string | null;
    /** The answer that first brought the body came to a crawl of the same tenant. */
    is_ours: boolean;
  }
>('find-stored')`
   select u.host_id, u.key, u.url, u.content_hash, coalesce(u.answer_hash, u.content_hash) as answer_hash,
          u.content_type, u.robots_tag, ${isOurs} as is_ours
     from host h join url u on u.host_id = h.id join crawl k on k.id = u.crawl_id
     left join body b on b.hash = coalesce(u.answer_hash, u.content_hash)
    where h.origin = $1 and u.crawl_id = $2 and u.key = $3 and u.content_hash is not null`;
