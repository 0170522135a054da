import { statement } from '../statement.ts';

/** Milliseconds until something is due, 0: now; null: nothing waits. */
export const webhookOutlook = statement<[id: string], { readonly wait_ms: number | null }>(
  'webhook-outlook',
  `select ceil(extract(epoch from greatest(w.not_before, min(c.not_before), now()) - now()) * 1000)::int as wait_ms
     from webhook w
     join webhook_cursor c on c.webhook_id = w.id and c.settled < c.last
    where w.id = $1 and w.disabled_at is null
    group by w.id`,
);
