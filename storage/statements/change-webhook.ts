import { statement } from '../statement.ts';

/**
 * Changes the fields that `changes` names, a JSON object of url, kinds and enabled. A new url, or enabling again,
 * forgets the earlier failures. No row: the tenant has no such webhook, or it has none of these versions (null: any).
 */
export const changeWebhook = statement<
  [id: string, tenantId: number, changes: string, versions: readonly number[] | null],
  { readonly fresh: boolean }
>(
  'change-webhook',
  `update webhook
      set version = version + 1,
          url = coalesce(c ->> 'url', url),
          kinds = case when c ? 'kinds'
                       then (select array_agg(kind) from jsonb_array_elements_text(nullif(c -> 'kinds', 'null')) kind)
                       else kinds end,
          disabled_at = case (c ->> 'enabled')::boolean when true then null when false then coalesce(disabled_at, now())
                             else disabled_at end,
          disabled_reason = case (c ->> 'enabled')::boolean when true then null
                                 when false then coalesce(disabled_reason, 'an admin disabled it')
                                 else disabled_reason end,
          failures = case when fresh then 0 else failures end,
          given_up = case when fresh then 0 else given_up end,
          not_before = case when fresh then '-infinity' else not_before end
     from (select $3::jsonb as c, ($3::jsonb ? 'url' or ($3::jsonb ->> 'enabled')::boolean is true) as fresh) changes
    where id = $1 and tenant_id = $2 and ($4::bigint[] is null or version = any ($4))
   returning fresh`,
);
