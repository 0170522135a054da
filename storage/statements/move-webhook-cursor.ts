import { statement } from '../statement.ts';

/** None: the cursor does not stand at `from` any more; a replay has set it back meanwhile. */
export const moveWebhookCursor = statement<
  [webhookId: string, crawlId: number, from: number, to: number],
  { readonly settled: number }
>(
  'move-webhook-cursor',
  `update webhook_cursor set settled = $4, attempts = 0, not_before = now()
    where webhook_id = $1 and crawl_id = $2 and settled = $3
   returning settled`,
);
