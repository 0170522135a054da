import { statement } from '../statement.ts';

/** None: the tenant has no such webhook, or it is not of one of these versions (null: of any). */
export const deleteWebhook = statement<
  [id: string, tenantId: number, versions: readonly number[] | null],
  { readonly id: string }
>(
  'delete-webhook',
  `delete from webhook where id = $1 and tenant_id = $2 and ($3::bigint[] is null or version = any ($3))
   returning id::text`,
);
