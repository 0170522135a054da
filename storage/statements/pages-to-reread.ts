import { statement } from '../statement.ts';

export interface StoredLinks {
  readonly host_id: number;
  readonly origin: string;
  /** Hex. */
  readonly key: string;
  readonly depth: number;
  /** Packed (storage/outlinks.ts). */
  readonly outlinks: string;
}

/** Bytes of links that are read in one go, about: pages of 10,000 links come a few at a time. */
const linkBytes = 1024 * 1024;

/** Stored pages of a crawl with their links, host by host, after a place; fewer than the limit where they are heavy. */
export const pagesToReread = statement<
  [crawlId: string, afterHost: number, afterKey: string, limit: number],
  StoredLinks
>(
  'pages-to-reread',
  `with found as (
     select p.host_id, h.origin, p.key, p.depth, octet_length(p.outlinks) as bytes
       from host_queue q
       join host h on h.id = q.host_id
      cross join lateral (
        select p.host_id, p.key, u.depth, p.outlinks
          from page p join url u on u.host_id = p.host_id and u.crawl_id = p.crawl_id and u.key = p.key
         where p.host_id = q.host_id and p.crawl_id = q.crawl_id
           and p.key > case when q.host_id = $2 then decode($3, 'hex') else '' end
         order by p.key limit $4) p
      where q.crawl_id = $1 and q.host_id >= $2
      order by q.host_id, p.key limit $4
   ), weighed as (
     select *, sum(bytes) over (order by host_id, key) - bytes as before from found
   )
   select w.host_id, w.origin, encode(w.key, 'hex') as key, w.depth, p.outlinks
     from weighed w join page p on p.host_id = w.host_id and p.crawl_id = $1 and p.key = w.key
    where w.before < ${String(linkBytes)}
    order by w.host_id, w.key`,
);
