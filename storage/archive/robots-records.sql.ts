/**
 * The robots.txt of hosts in the archive. An answer to a request for robots.txt is noted for the crawl in whose name it
 * was asked for, and goes with that crawl. It stands among the answers of the crawl's URLs at the host (`revisit`), under
 * a key that no URL has: the number of the redirect that led to it, in one byte.
 */
import { statement } from '../postgres/index.ts';
import type { FoundRecord } from './records.sql.ts';

export const robotsKey = (hop: number): Buffer => Buffer.of(hop);

const literal = (key: Buffer): string => `'\\x${key.toString('hex')}'::bytea`;
/** The first request and five redirects (RFC 9309 §2.3.1.2). */
const keys = `array[${Array.from({ length: 6 }, (_, hop) => literal(robotsKey(hop))).join(', ')}]`;

/** Does nothing where the crawl has no URL at the host or is being deleted, or the segment was closed meanwhile. */
export const keepRobots = statement<{
  hostId: string;
  crawlId: number;
  key: Uint8Array;
  segment: number;
  at: number;
  length: number;
}>('keep-robots')`
   with open as materialized (
     select id from crawl where id = $crawlId and removed_at is null for share
   ), taking as materialized (
     select q.host_id, q.crawl_id, s.id
       from open join host_queue q on q.crawl_id = open.id and q.host_id = $hostId
       join segment s on s.id = $segment and s.state = 'open'
        for share of s
   )
   insert into revisit (host_id, crawl_id, key, segment, at, length)
   select host_id, crawl_id, $key, id, $at, $length from taking
   on conflict (host_id, crawl_id, key) do update
     set segment = excluded.segment, at = excluded.at, length = excluded.length`;

interface RobotsAnswer {
  readonly origin: string;
  readonly host_id: number;
  /** Crawl and key under which an answer stands; null: this tenant asked for none that is left. */
  readonly of_crawl: string | null;
  readonly key: Buffer | null;
  readonly record: FoundRecord | null;
  /**
   * The copy by which the host is visited now, once for a host, and when it was read; null: everything is allowed there,
   * or it came with the first answer.
   */
  readonly body: string | null;
  readonly fetched_at: Date | null;
}

/**
 * The answers to requests for robots.txt of some hosts of a crawl that have answered it, by host, redirects first: those
 * of the crawl itself, or else of the latest crawl of the same tenant. A host may come without any.
 * @param after the host after which they come
 * @param origin the only host; null: all
 */
export const robotsRecords = statement<
  [crawlId: string, after: number, limit: number, origin: string | null],
  RobotsAnswer
>('robots-records')`
   with chosen as materialized (
     select q.host_id from host_queue q
      where q.crawl_id = $1 and q.host_id > $2
        and ($4::text is null or q.host_id = (select id from host where origin = $4))
      order by q.host_id limit $3
   )
   select h.origin, h.id as host_id, asked.crawl_id::text as of_crawl, r.key,
          case when r.host_id is not null then
            json_build_object('segment', r.segment, 'name', s.name, 'folder', s.folder, 'at', r.at, 'length', r.length)
          end as record,
          case when r.key is null or r.key = ${literal(robotsKey(0))} then c.body end as body, c.fetched_at
     from chosen
     join host h on h.id = chosen.host_id
     left join robots c on c.host_id = h.id
      and exists (select from url u where u.host_id = h.id and u.crawl_id = $1 and u.fetched_at is not null)
     left join lateral (
       select q.crawl_id
         from host_queue q join crawl k on k.id = q.crawl_id and k.removed_at is null
         join revisit first on first.host_id = h.id and first.crawl_id = q.crawl_id and first.key = ${literal(robotsKey(0))}
        where q.host_id = h.id and k.tenant_id = (select tenant_id from crawl where id = $1)
        order by (q.crawl_id = $1) desc, q.crawl_id desc limit 1
     ) asked on true
     left join (revisit r join segment s on s.id = r.segment)
            on r.host_id = h.id and r.crawl_id = asked.crawl_id
           and r.key = any (${keys})
    order by h.id, r.key`;
