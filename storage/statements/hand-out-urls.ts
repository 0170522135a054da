import { statement } from '../statement.ts';

/**
 * Records a batch and holds the hosts' leases for it. Rows that come back are lent; one whose lease was lost meanwhile
 * is not. `rows`: [{host_id, crawl_id, key, url, token}], keys in hex.
 */
export const handOutUrls = statement<
  [batchId: string, tenantId: number, fetcherId: string, leaseMs: number, rows: string],
  { token: number }
>(
  'hand-out-urls',
  `with r as materialized (
     select * from json_to_recordset($5) as r(host_id bigint, crawl_id bigint, key text, url text, token bigint)
   ), held as (
     update host h
        set lease_until = now() + $4 * interval '1 millisecond', lent = true, lend_until = null
       from r where h.id = r.host_id and h.lease_token = r.token and h.lease_until > now()
     returning h.id
   ), batch as (
     insert into lent_batch (id, tenant_id, fetcher_id, until)
     values ($1, $2, $3, now() + $4 * interval '1 millisecond')
   )
   insert into lent_url (batch_id, host_id, crawl_id, key, url, token)
   select $1, r.host_id, r.crawl_id, decode(r.key, 'hex'), r.url, r.token from r join held on held.id = r.host_id
   returning token`,
);
