import { statement } from '../statement.ts';

/** None: the tenant has `most` already; whoever calls holds the tenant's row. */
export const insertWebhook = statement<
  [
    tenantId: number,
    url: string,
    kinds: readonly string[] | null,
    crawlId: string | null,
    secret: Buffer,
    most: number,
  ],
  { readonly id: string }
>(
  'insert-webhook',
  `insert into webhook (tenant_id, url, kinds, crawl_id, secret)
   select $1, $2, $3::text[], $4::bigint, $5
    where (select count(*) from webhook where tenant_id = $1) < $6
   returning id::text`,
);
