import { statement } from '../statement.ts';

/** Says that nobody is at it. Look for what is due once more after this: nobody is woken for what came before. */
export const restWebhook = statement<[id: string], Record<string, never>>(
  'rest-webhook',
  `update webhook set tended_at = null where id = $1`,
);
