/** Webhooks as their owners set and read them. */
import { statement, view } from '../postgres/index.ts';
import type { Deliveries, WebhookView } from '../../contracts/http/webhooks.ts';

/** No row: the tenant has `most` webhooks already. The caller must hold the tenant's row. */
export const insertWebhook = statement<
  [
    tenantId: number,
    url: string,
    kinds: readonly string[] | null,
    crawlId: string | null,
    secret: Buffer,
    most: number,
  ],
  { id: string }
>('insert-webhook')`
   insert into webhook (tenant_id, url, kinds, crawl_id, secret)
   select $1, $2, $3::text[], $4::bigint, $5
    where (select count(*) from webhook where tenant_id = $1) < $6
   returning id::text`;

/** Webhooks of a tenant, oldest first, without their secrets; `only`: this webhook alone. */
export const listWebhooks = view<[tenantId: number, only: string | null], WebhookView & { version: number }>(
  'list-webhooks',
)`
   select id::text, url, kinds, crawl_id::text, disabled_at is null as enabled, disabled_at, disabled_reason, created_at,
          delivered_at as last_delivered_at, failures, case when not_before > now() then not_before end as not_before,
          (select count(*) from webhook_cursor c where c.webhook_id = w.id and c.settled < c.last) as pending_crawls,
          (select count(*) from webhook_dead_letter l where l.webhook_id = w.id) as dead_letters, version
     from webhook w
    where tenant_id = $1 and ($2::uuid is null or id = $2)
    order by created_at, w.id`;

/**
 * Changes the fields that `changes` names, a JSON object of url, kinds and enabled. A new url, or enabling again,
 * forgets the earlier failures. No row: the tenant has no such webhook, or it has none of these versions (null: any).
 */
export const changeWebhook = statement<
  [id: string, tenantId: number, changes: string, versions: readonly number[] | null],
  { fresh: boolean }
>('change-webhook')`
   update webhook
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
   returning fresh`;

/** No row: the tenant has no such webhook, or it has none of these versions (null: any). */
export const deleteWebhook = statement<
  [id: string, tenantId: number, versions: readonly number[] | null],
  { id: string }
>('delete-webhook')`
   delete from webhook where id = $1 and tenant_id = $2 and ($3::bigint[] is null or version = any ($3))
   returning id::text`;

/** Keeps a webhook from being deleted while its cursors are changed. No row: the tenant has no such webhook. */
export const lockWebhook = statement<[id: string, tenantId: number], { crawl_id: string | null }>(
  'lock-webhook',
)`
   select crawl_id::text from webhook where id = $1 and tenant_id = $2 for key share`;

/** Asks for a test. If one waits to be sent already, answers its id again. No row: the tenant has no such webhook. */
export const requestWebhookTest = statement<[id: string, tenantId: number], { test_id: string }>(
  'request-webhook-test',
)`
   update webhook
      set test_at = case when test_id is null then now() else test_at end, test_id = coalesce(test_id, gen_random_uuid())
    where id = $1 and tenant_id = $2
   returning test_id::text`;

/** Latest first. */
export const listWebhookAttempts = view<[webhookId: string, limit: number], Deliveries['attempts'][number]>(
  'list-webhook-attempts',
)`
   select message_id, crawl_id::text, number::text as event_id, kind, attempt, at, outcome, status, message, took_ms
     from webhook_attempt where webhook_id = $1 order by id desc limit $2`;
