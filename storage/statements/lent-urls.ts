import { statement } from '../statement.ts';

export interface LentUrl {
  readonly host_id: number;
  readonly crawl_id: number;
  readonly key: string;
  readonly url: string;
  readonly token: number;
  readonly origin: string;
  /** Milliseconds since it was handed out. */
  readonly age_ms: number;
  /** What it stood at when it was handed out, and still does unless somebody else has taken it over. */
  readonly depth: number;
  readonly hops: number;
  readonly tries: number;
  readonly reason: string | null;
}

/** What a batch of the tenant handed out; none: there is no such batch. */
export const lentUrls = statement<[batchId: string, tenantId: number], LentUrl>(
  'lent-urls',
  `select l.host_id, l.crawl_id, encode(l.key, 'hex') as key, l.url, l.token, h.origin,
          (extract(epoch from now() - l.lent_at) * 1000)::float8 as age_ms, u.depth, u.hops, u.tries, u.reason
     from lent_batch b
     join lent_url l on l.batch_id = b.id
     join host h on h.id = l.host_id
     join url u on u.host_id = l.host_id and u.crawl_id = l.crawl_id and u.key = l.key
    where b.id = $1 and b.tenant_id = $2`,
);
