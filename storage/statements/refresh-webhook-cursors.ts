import { statement } from '../statement.ts';

/**
 * Events that wait for another attempt are tried at once, with as many attempts as new ones. Locks by crawl, as a
 * replay does.
 */
export const refreshWebhookCursors = statement<[webhookId: string], Record<string, never>>(
  'refresh-webhook-cursors',
  `with waiting as materialized (
     select crawl_id from webhook_cursor where webhook_id = $1 and settled < last
      order by crawl_id for no key update
   )
   update webhook_cursor c set attempts = 0, not_before = now()
     from waiting w where c.webhook_id = $1 and c.crawl_id = w.crawl_id`,
);
