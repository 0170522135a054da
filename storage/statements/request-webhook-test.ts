import { statement } from '../statement.ts';

/** One test at a time: while one waits to be sent its id is answered again. None: the tenant has no such webhook. */
export const requestWebhookTest = statement<[id: string, tenantId: number], { readonly test_id: string }>(
  'request-webhook-test',
  `update webhook
      set test_at = case when test_id is null then now() else test_at end, test_id = coalesce(test_id, gen_random_uuid())
    where id = $1 and tenant_id = $2
   returning test_id::text`,
);
