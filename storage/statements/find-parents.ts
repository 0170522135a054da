import { statement } from '../statement.ts';

export interface ParentRow {
  readonly key: string;
  readonly crawl_id: number;
  readonly host_id: number;
  readonly depth: number;
  /** When it was last handed out to a fetcher of the tenant, as far as that is still known; null: not. */
  readonly lent_at: Date | null;
}

/**
 * Where a tenant's open crawls have met URLs: all crawls, or the one that is asked for. `rows`: [{host, key}], the host as
 * its origin, the key in hex.
 */
export const findParents = statement<[tenantId: number, crawlId: string | null, rows: string], ParentRow>(
  'find-parents',
  `select encode(u.key, 'hex') as key, u.crawl_id, u.host_id, u.depth,
          (select max(l.lent_at) from lent_url l
            where l.host_id = u.host_id and l.crawl_id = u.crawl_id and l.key = u.key) as lent_at
     from json_to_recordset($3) as r(host text, key text)
     join host h on h.origin = r.host
     join crawl c on c.tenant_id = $1 and c.state not in ('finished', 'cancelled', 'failed')
                 and ($2::bigint is null or c.id = $2)
     join url u on u.host_id = h.id and u.crawl_id = c.id and u.key = decode(r.key, 'hex')`,
);
