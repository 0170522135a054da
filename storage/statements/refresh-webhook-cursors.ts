import { statement } from '../statement.ts';

/** What waits for another attempt is tried at once, and as often as something new. */
export const refreshWebhookCursors = statement<[webhookId: string], Record<string, never>>(
  'refresh-webhook-cursors',
  `update webhook_cursor set attempts = 0, not_before = now() where webhook_id = $1 and settled < last`,
);
