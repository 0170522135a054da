import type { DeliveryOutcome } from '../../contracts/http/webhooks.ts';
import { statement } from '../statement.ts';

/** Keeps the latest `most` attempts of a webhook beside this one. */
export const noteWebhookAttempt = statement<
  [
    webhookId: string,
    messageId: string,
    crawlId: number | null,
    number: number | null,
    kind: string,
    attempt: number,
    outcome: DeliveryOutcome,
    status: number | null,
    message: string | null,
    tookMs: number,
    most: number,
  ],
  Record<string, never>
>(
  'note-webhook-attempt',
  `with old as (
     delete from webhook_attempt
      where webhook_id = $1
        and id <= (select id from webhook_attempt where webhook_id = $1 order by id desc offset $11 limit 1)
   )
   insert into webhook_attempt (webhook_id, message_id, crawl_id, number, kind, attempt, outcome, status, message, took_ms)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);
