import { statement } from '../statement.ts';

/** Keeps a webhook from being deleted while its cursors are changed. None: the tenant has no such webhook. */
export const lockWebhook = statement<[id: string, tenantId: number], { readonly crawl_id: string | null }>(
  'lock-webhook',
  `select crawl_id::text from webhook where id = $1 and tenant_id = $2 for key share`,
);
