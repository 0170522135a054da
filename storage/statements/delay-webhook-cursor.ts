import { statement } from '../statement.ts';

/** Counts an attempt that failed (where it counts), and puts the next one off. */
export const delayWebhookCursor = statement<
  [webhookId: string, crawlId: number, from: number, counted: number, delayMs: number],
  Record<string, never>
>(
  'delay-webhook-cursor',
  `update webhook_cursor set attempts = attempts + $4, not_before = now() + $5 * interval '1 millisecond'
    where webhook_id = $1 and crawl_id = $2 and settled = $3`,
);
