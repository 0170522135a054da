import { statement } from '../statement.ts';

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly string[] | null;
  readonly crawl_id: string | null;
  readonly created_at: Date;
  readonly version: number;
  readonly disabled_at: Date | null;
  readonly disabled_reason: string | null;
  readonly failures: number;
  /** Null: it may be asked. */
  readonly not_before: Date | null;
  readonly delivered_at: Date | null;
  readonly pending: number;
  readonly dead_letters: number;
}

/** Webhooks of a tenant, oldest first; `only`: just this one. Never their secrets. */
export const listWebhooks = statement<[tenantId: number, only: string | null], WebhookRow>(
  'list-webhooks',
  `select id::text, url, kinds, crawl_id::text, created_at, version, disabled_at, disabled_reason, failures,
          case when not_before > now() then not_before end as not_before, delivered_at,
          (select count(*) from webhook_cursor c where c.webhook_id = w.id and c.settled < c.last) as pending,
          (select count(*) from webhook_dead_letter l where l.webhook_id = w.id) as dead_letters
     from webhook w
    where tenant_id = $1 and ($2::uuid is null or id = $2)
    order by created_at, id`,
);
