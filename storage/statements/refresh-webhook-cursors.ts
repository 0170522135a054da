import { statement } from '../statement.ts';

/** What waits for another attempt is tried at once, and as often as something new. Locks by crawl, as a replay does. */
export const refreshWebhookCursors = statement<[webhookId: string], Record<string, never>>(
  'refresh-webhook-cursors',
  `with waiting as materialized (
     select crawl_id from webhook_cursor where webhook_id = $1 and settled < last
      order by crawl_id for no key update
   )
   update webhook_cursor c set attempts = 0, not_before = now()
     from waiting w where c.webhook_id = $1 and c.crawl_id = w.crawl_id`,
);
