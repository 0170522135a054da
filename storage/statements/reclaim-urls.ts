import { statement } from '../statement.ts';

/**
 * Puts back the URLs of a lease that was lost to a crash. One that was there at six crashes is no longer trusted:
 * it fails as 'poison' and stays re-drivable as a dead letter.
 */
export const reclaimUrls = statement<[hostId: string], { state: string }>(
  'reclaim-urls',
  `with back as (
     update url set state = case when reclaims >= 5 then 'failed' else 'queued' end::url_state,
                    reason = case when reclaims >= 5 then 'poison' end,
                    detail = case when reclaims >= 5 then 'its fetch was cut off by six crashes' end,
                    reclaims = reclaims + 1, lease_token = null
      where host_id = $1 and state = 'leased'
     returning host_id, crawl_id, key, state, status, reason, detail, attempts
   ), buried as (
     insert into dead_letter (host_id, crawl_id, key, class, status, message, attempts)
     select host_id, crawl_id, key, reason, status, detail, attempts from back where state = 'failed'
     on conflict do nothing
   )
   select state from back`,
);
