/** The queue of deliveries of one webhook. */
import { statement } from '../postgres/index.ts';
import type { DeliveryOutcome } from '../../contracts/http/webhooks.ts';

/**
 * Webhooks that have something to send and on which no worker works. The caller must wake the workflow of each. The
 * workflow itself waits for a retry; so only a retry that is late is found here, or a webhook whose worker was killed.
 */
export const claimDueWebhooks = statement<[limit: number], { id: string }>('claim-due-webhooks')`
   update webhook set tended_at = now()
    where id in (
      select w.id from webhook w
       where (w.tended_at is null or w.tended_at < now() - interval '30 seconds')
         and (w.test_id is not null
              or w.disabled_at is null and w.not_before <= now()
                 and exists (select from webhook_cursor c
                              where c.webhook_id = w.id and c.settled < c.last
                                and c.not_before <= now()
                                    - case when c.attempts > 0 then interval '5 seconds' else interval '0' end))
       limit $1 for no key update skip locked)
   returning id::text`;

export interface TendedWebhook {
  readonly url: string;
  readonly kinds: readonly string[] | null;
  readonly secret: Buffer;
  readonly version: number;
  readonly failures: number;
  readonly given_up: number;
  /** The webhook is not disabled, and its receiver may be asked now. */
  readonly ready: boolean;
  readonly test_id: string | null;
  readonly test_at: Date | null;
}

/** Notes that a worker works on the webhook. No row: the webhook does not exist any more. */
export const tendWebhook = statement<[id: string], TendedWebhook>('tend-webhook')`
   update webhook set tended_at = now() where id = $1
   returning url, kinds, secret, version, failures, given_up, disabled_at is null and not_before <= now() as ready,
             test_id::text, test_at`;

export interface DueEvent {
  readonly crawl_id: number;
  readonly settled: number;
  readonly last: number;
  readonly attempts: number;
  /** Null, and so are all fields below: no unsettled event is of a wanted kind. */
  readonly number: number | null;
  readonly kind: string;
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * The event that has been due longest: of each crawl, only the first event counts that is not settled and of a wanted
 * kind. Each kind is looked up by itself, so that a million changes of pages hide no other event.
 */
export const nextWebhookEvent = statement<[webhookId: string, kinds: readonly string[] | null], DueEvent>(
  'next-webhook-event',
)`
   select c.crawl_id, c.settled, c.last, c.attempts, e.number, e.kind, e.at, e.data
     from webhook_cursor c
     left join lateral (
       select *
         from ((select * from event
                 where $2::text[] is null and event.crawl_id = c.crawl_id and event.number > c.settled
                 order by event.number limit 1)
               union all
               select first.*
                 from unnest($2::text[]) wanted(kind)
                cross join lateral (
                  select * from event
                   where event.crawl_id = c.crawl_id and event.kind = wanted.kind and event.number > c.settled
                   order by event.number limit 1
                ) first) found
        order by found.number limit 1
     ) e on true
    where c.webhook_id = $1 and c.settled < c.last and c.not_before <= now()
    order by c.not_before, c.crawl_id limit 1`;

/** No row: the cursor does not stand at `from` any more, because a replay has set it back meanwhile. */
export const moveWebhookCursor = statement<
  [webhookId: string, crawlId: number, from: number, to: number],
  { settled: number }
>('move-webhook-cursor')`
   update webhook_cursor set settled = $4, attempts = 0, not_before = now()
    where webhook_id = $1 and crawl_id = $2 and settled = $3
   returning settled`;

/** Puts off the next attempt; counts the one that failed, if its receiver is to blame. */
export const delayWebhookCursor = statement<
  [webhookId: string, crawlId: number, from: number, counted: number, delayMs: number]
>('delay-webhook-cursor')`
   update webhook_cursor set attempts = attempts + $4, not_before = now() + $5 * interval '1 millisecond'
    where webhook_id = $1 and crawl_id = $2 and settled = $3`;

/**
 * Has events that wait for another attempt tried at once, with as many attempts as new events. Locks by crawl, as a
 * replay does.
 */
export const refreshWebhookCursors = statement<[webhookId: string]>('refresh-webhook-cursors')`
   with waiting as materialized (
     select crawl_id from webhook_cursor where webhook_id = $1 and settled < last
      order by crawl_id for no key update
   )
   update webhook_cursor c set attempts = 0, not_before = now()
     from waiting w where c.webhook_id = $1 and c.crawl_id = w.crawl_id`;

/**
 * Notes that no worker works on the webhook. The caller must look once more for due events afterwards: nobody is woken
 * for events that came before.
 */
export const restWebhook = statement<[id: string]>('rest-webhook')`
   update webhook set tended_at = null where id = $1`;

export interface WebhookAttempt {
  readonly message_id: string;
  /** Null: a test. */
  readonly crawl_id: number | null;
  readonly number: number | null;
  readonly kind: string;
  readonly attempt: number;
  readonly outcome: DeliveryOutcome;
  readonly status: number | null;
  readonly message: string | null;
  readonly took_ms: number;
}

/** Keeps this attempt and the latest `most` others of its webhook. `attempt`: WebhookAttempt. */
export const noteWebhookAttempt = statement<[webhookId: string, attempt: string, most: number]>(
  'note-webhook-attempt',
)`
   with old as (
     delete from webhook_attempt
      where webhook_id = $1
        and id <= (select id from webhook_attempt where webhook_id = $1 order by id desc offset $3 limit 1)
   )
   insert into webhook_attempt (webhook_id, message_id, crawl_id, number, kind, attempt, outcome, status, message, took_ms)
   select $1, a.message_id, a.crawl_id, a.number, a.kind, a.attempt, a.outcome, a.status, a.message, a.took_ms
     from json_to_record($2::json) as a(
            message_id text, crawl_id bigint, number bigint, kind text, attempt smallint, outcome text, status smallint,
            message text, took_ms integer)`;

/**
 * Leaves the receiver alone for `pauseMs`, and disables the webhook if `disabledReason` is not null. If somebody has
 * edited the webhook since `version`, does nothing and answers `isSame` false. No row: there is no such webhook any
 * more. Locks the webhook, as note-webhook-success does.
 */
export const noteWebhookFailure = statement<
  [id: string, version: number, pauseMs: number, givenUp: number, disabledReason: string | null],
  { isSame: boolean }
>('note-webhook-failure')`
   with held as materialized (
     select id, version = $2 as is_same from webhook where id = $1 for no key update
   ), noted as (
     update webhook w
        set failures = w.failures + 1, given_up = w.given_up + $4, tended_at = now(),
            not_before = greatest(w.not_before, now() + $3 * interval '1 millisecond'),
            disabled_at = case when $5::text is null then w.disabled_at else coalesce(w.disabled_at, now()) end,
            disabled_reason = case when $5::text is null then w.disabled_reason else coalesce(w.disabled_reason, $5) end,
            version = w.version + ($5::text is not null)::int
       from held h where w.id = h.id and h.is_same
   )
   select is_same as "isSame" from held`;

/** Locks the webhook, so that its cursors can be changed afterwards. No row: there is no such webhook any more. */
export const noteWebhookSuccess = statement<[id: string], { id: string }>('note-webhook-success')`
   update webhook set failures = 0, given_up = 0, not_before = '-infinity', delivered_at = now(), tended_at = now()
    where id = $1 returning id::text`;

/**
 * Notes that the test was sent, whatever came of it. No row: the webhook does not exist any more, or another test was
 * asked for.
 */
export const settleWebhookTest = statement<[id: string, testId: string], { id: string }>(
  'settle-webhook-test',
)`
   update webhook set test_id = null, test_at = null, tended_at = now() where id = $1 and test_id = $2
   returning id::text`;

/** Milliseconds until something is due (0: now); null: nothing waits. */
export const webhookOutlook = statement<[id: string], { wait_ms: number | null }>('webhook-outlook')`
   select ceil(extract(epoch from greatest(w.not_before, min(c.not_before), now()) - now()) * 1000)::int as wait_ms
     from webhook w
     join webhook_cursor c on c.webhook_id = w.id and c.settled < c.last
    where w.id = $1 and w.disabled_at is null
    group by w.id`;
