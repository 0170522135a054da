import { statement } from '../statement.ts';

/** Keeps the latest `most` letters of a webhook beside this one; the events of older ones can be replayed still. */
export const insertWebhookLetter = statement<
  [
    webhookId: string,
    crawlId: number,
    number: number,
    kind: string,
    attempts: number,
    status: number | null,
    message: string,
    most: number,
  ],
  Record<string, never>
>(
  'insert-webhook-letter',
  `with old as (
     delete from webhook_dead_letter
      where webhook_id = $1
        and (crawl_id, number) in (select crawl_id, number from webhook_dead_letter
                                    where webhook_id = $1 order by created_at desc offset $8)
   )
   insert into webhook_dead_letter (webhook_id, crawl_id, number, kind, attempts, status, message)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (webhook_id, crawl_id, number) do update
     set attempts = excluded.attempts, status = excluded.status, message = excluded.message, created_at = now()`,
);
