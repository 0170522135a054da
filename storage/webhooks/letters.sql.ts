/** Deliveries that failed for good. */
import type { Deliveries } from '../../contracts/http/webhooks.ts';
import { statement, view } from '../postgres/index.ts';

export interface NewWebhookLetter {
  readonly crawl_id: number;
  readonly number: number;
  readonly kind: string;
  readonly attempts: number;
  readonly status: number | null;
  readonly message: string;
}

/**
 * Keeps this dead letter and the latest `most` others of its webhook; the events of older letters can still be
 * replayed. `letter`: NewWebhookLetter.
 */
export const insertWebhookLetter = statement<[webhookId: string, letter: string, most: number]>(
  'insert-webhook-letter',
)`
   with old as (
     delete from webhook_dead_letter
      where webhook_id = $1
        and (crawl_id, number) in (select crawl_id, number from webhook_dead_letter
                                    where webhook_id = $1 order by created_at desc offset $3)
   )
   insert into webhook_dead_letter (webhook_id, crawl_id, number, kind, attempts, status, message)
   select $1, l.crawl_id, l.number, l.kind, l.attempts, l.status, l.message
     from json_to_record($2::json) as l(
            crawl_id bigint, number bigint, kind text, attempts smallint, status smallint, message text)
   on conflict (webhook_id, crawl_id, number) do update
     set attempts = excluded.attempts, status = excluded.status, message = excluded.message, created_at = now()`;

/** Latest first. */
export const listWebhookLetters = view<[webhookId: string, limit: number], Deliveries['deadLetters'][number]>(
  'list-webhook-letters',
)`
   select crawl_id::text, number::text as event_id, kind, attempts, status, message, created_at as at
     from webhook_dead_letter l where webhook_id = $1
    order by created_at desc, l.crawl_id, l.number desc limit $2`;

/**
 * Sets cursors back before events: those of one crawl (null: of all that the webhook hears of), behind a number, since
 * an instant. A cursor that already stands before them stays.
 */
export const replayWebhook = statement<
  [webhookId: string, crawlId: string | null, after: string | null, since: string | null],
  { crawl_id: number }
>('replay-webhook')`
   insert into webhook_cursor as k (webhook_id, crawl_id, settled, last)
   select w.id, c.id, min(e.number) - 1, max(e.number)
     from webhook w
     join crawl c on c.tenant_id = w.tenant_id and (w.crawl_id is null or c.id = w.crawl_id)
     join event e on e.crawl_id = c.id
    where w.id = $1 and ($2::bigint is null or c.id = $2) and ($3::bigint is null or e.number > $3)
      and ($4::timestamptz is null or e.at >= $4)
    group by w.id, c.id
    order by c.id
   on conflict (webhook_id, crawl_id) do update
     set settled = least(k.settled, excluded.settled), last = greatest(k.last, excluded.last), attempts = 0,
         not_before = now()
   returning crawl_id`;

/** Drops dead letters whose events are ahead of the webhook's cursor again. */
export const dropReplayedLetters = statement<[webhookId: string]>('drop-replayed-letters')`
   delete from webhook_dead_letter l using webhook_cursor c
    where l.webhook_id = $1 and c.webhook_id = $1 and c.crawl_id = l.crawl_id and c.settled < l.number`;
