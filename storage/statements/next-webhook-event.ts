import { statement } from '../statement.ts';

export interface DueEvent {
  readonly crawl_id: number;
  readonly settled: number;
  readonly last: number;
  readonly attempts: number;
  /** Null, as all fields below: no unsettled event is of a wanted kind. */
  readonly number: number | null;
  readonly kind: string;
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The event that has been due longest: for its crawl, the first event that is not settled and of a wanted kind. */
export const nextWebhookEvent = statement<[webhookId: string, kinds: readonly string[] | null], DueEvent>(
  'next-webhook-event',
  `select c.crawl_id, c.settled, c.last, c.attempts, e.number, e.kind, e.at, e.data
     from webhook_cursor c
     left join lateral (
       select * from event
        where event.crawl_id = c.crawl_id and event.number > c.settled and ($2::text[] is null or event.kind = any ($2))
        order by event.number limit 1
     ) e on true
    where c.webhook_id = $1 and c.settled < c.last and c.not_before <= now()
    order by c.not_before, c.crawl_id limit 1`,
);
