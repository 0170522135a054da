import { statement } from '../statement.ts';

/**
 * The page of a crawl that stands for a body: one whose body we hold, else the first foreign one with it, which is the
 * one asking where there was none.
 */
export const claimLentContent = statement<
  [crawlId: number, hash: string, hostId: number, key: string],
  { host_id: number; key: string }
>(
  'claim-lent-content',
  `with claimed as (
     insert into lent_content (crawl_id, hash, host_id, key)
     values ($1, decode($2, 'hex'), $3, decode($4, 'hex'))
     on conflict (crawl_id, hash) do update set hash = excluded.hash
     returning host_id, key
   )
   select c.host_id, encode(c.key, 'hex') as key
     from (select host_id, key, 0 as rank from content where crawl_id = $1 and hash = decode($2, 'hex')
           union all
           select host_id, key, 1 from claimed) c
    order by c.rank limit 1`,
);
