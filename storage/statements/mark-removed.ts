import { statement } from '../statement.ts';

/**
 * Marks a crawl as removed if it is closed, or is already so marked; nothing reopens a crawl that counts as cancelled.
 * Answers its state and how many URLs are left; no row: there is no such crawl.
 */
export const markRemoved = statement<
  [crawlId: string],
  { readonly state: string; readonly removed: boolean; readonly urls: number }
>(
  'mark-removed',
  `with asked as (
     select id, state, removed_at is not null or state in ('finished', 'cancelled', 'failed') as may
       from crawl where id = $1 for update
   ), marked as (
     update crawl c set state = 'cancelled', cause = 'cancelled', removed_at = coalesce(c.removed_at, now())
       from asked a where c.id = a.id and a.may
   )
   select state, may as removed,
          (select coalesce(sum(total), 0)::bigint from host_queue where crawl_id = $1) as urls
     from asked`,
);
