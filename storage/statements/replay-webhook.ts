import { statement } from '../statement.ts';

/**
 * Sets cursors back before events: those of one crawl (null: of all that are the webhook's), behind a number, since an
 * instant. A cursor that stands before them already stays.
 */
export const replayWebhook = statement<
  [webhookId: string, crawlId: string | null, after: string | null, since: string | null],
  { readonly crawl_id: number }
>(
  'replay-webhook',
  `insert into webhook_cursor as k (webhook_id, crawl_id, settled, last)
   select w.id, c.id, min(e.number) - 1, max(e.number)
     from webhook w
     join crawl c on c.tenant_id = w.tenant_id and (w.crawl_id is null or c.id = w.crawl_id)
     join event e on e.crawl_id = c.id
    where w.id = $1 and ($2::bigint is null or c.id = $2) and ($3::bigint is null or e.number > $3)
      and ($4::timestamptz is null or e.at >= $4)
    group by w.id, c.id
    order by c.id
   on conflict (webhook_id, crawl_id) do update
     set settled = least(k.settled, excluded.settled), last = greatest(k.last, excluded.last), attempts = 0,
         not_before = now()
   returning crawl_id`,
);
