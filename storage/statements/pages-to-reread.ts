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

/** Stored pages of a crawl with their links, host by host, after a place. */
export const pagesToReread = statement<
  [crawlId: string, afterHost: number, afterKey: string, limit: number],
  StoredLinks
>(
  'pages-to-reread',
  `select p.host_id, h.origin, encode(p.key, 'hex') as key, p.depth, p.outlinks
     from host_queue q
     join host h on h.id = q.host_id
    cross join lateral (
      select p.host_id, p.key, u.depth, p.outlinks
        from page p join url u on u.host_id = p.host_id and u.crawl_id = p.crawl_id and u.key = p.key
       where p.host_id = q.host_id and p.crawl_id = q.crawl_id
         and p.key > case when q.host_id = $2 then decode($3, 'hex') else '' end
       order by p.key limit $4) p
    where q.crawl_id = $1 and q.host_id >= $2
    order by q.host_id, p.key limit $4`,
);
