import { statement } from '../statement.ts';

export interface WebhookLetterRow {
  readonly crawl_id: string;
  readonly number: string;
  readonly kind: string;
  readonly attempts: number;
  readonly status: number | null;
  readonly message: string;
  readonly created_at: Date;
}

/** Latest first. */
export const listWebhookLetters = statement<[webhookId: string, limit: number], WebhookLetterRow>(
  'list-webhook-letters',
  `select crawl_id::text, number::text, kind, attempts, status, message, created_at
     from webhook_dead_letter where webhook_id = $1 order by created_at desc, crawl_id, number desc limit $2`,
);
