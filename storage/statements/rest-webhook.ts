import { statement } from '../statement.ts';

/**
 * Notes that no worker works on the webhook. The caller must look once more for due events after this: nobody is woken
 * for events that came before.
 */
export const restWebhook = statement<[id: string], Record<string, never>>(
  'rest-webhook',
  `update webhook set tended_at = null where id = $1`,
);
