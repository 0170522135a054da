import { statement } from '../statement.ts';

/** The test was sent, whatever came of it. None: there is no such webhook any more. */
export const settleWebhookTest = statement<[id: string, testId: string], { readonly id: string }>(
  'settle-webhook-test',
  `update webhook set test_id = null, test_at = null, tended_at = now() where id = $1 and test_id = $2
   returning id::text`,
);
