import type { DeliveryOutcome } from '../../contracts/http/webhooks.ts';
import { statement } from '../statement.ts';

export interface WebhookAttemptRow {
  readonly message_id: string;
  readonly crawl_id: string | null;
  readonly number: string | null;
  readonly kind: string;
  readonly attempt: number;
  readonly at: Date;
  readonly outcome: DeliveryOutcome;
  readonly status: number | null;
  readonly message: string | null;
  readonly took_ms: number;
}

/** Latest first. */
export const listWebhookAttempts = statement<[webhookId: string, limit: number], WebhookAttemptRow>(
  'list-webhook-attempts',
  `select message_id, crawl_id::text, number::text, kind, attempt, at, outcome, status, message, took_ms
     from webhook_attempt where webhook_id = $1 order by id desc limit $2`,
);
