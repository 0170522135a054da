/**
 * The next event that a webhook must send, and the outcome of each delivery.
 *
 * A cursor moves in the same transaction that notes the answer or the dead letter, and only from where it stood when
 * the event was read: if a replay set the cursor back meanwhile, the replay wins. A worker that is killed between the
 * request and that transaction leaves the cursor before the event, which is then sent once more.
 */
import {
  keptAttempts,
  keptLetters,
  messageIdOf,
  webhookTestKind,
  type DeliveryOutcome,
  type WebhookMessage,
} from '../../contracts/http/webhooks.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import {
  delayWebhookCursor,
  moveWebhookCursor,
  nextWebhookEvent,
  noteWebhookAttempt,
  type WebhookAttempt,
  noteWebhookFailure,
  noteWebhookSuccess,
  restWebhook,
  settleWebhookTest,
  tendWebhook,
  type TendedWebhook,
  webhookOutlook,
} from './queue.sql.ts';
import { insertWebhookLetter, type NewWebhookLetter } from './letters.sql.ts';

/** The place of an event behind the cursor of its crawl. */
interface Place {
  readonly crawlId: number;
  readonly number: number;
  readonly settled: number;
}

export interface Delivery {
  readonly webhookId: string;
  readonly webhook: TendedWebhook;
  readonly messageId: string;
  readonly message: WebhookMessage;
  /** The first attempt is 1. */
  readonly attempt: number;
  /** Null: a test, which is sent only once. */
  readonly place: Place | null;
}

export interface Failure {
  readonly status: number | null;
  readonly message: string;
  /** False: the receiver is not to blame, so the event has as many attempts left as before. */
  readonly counts: boolean;
  /** Milliseconds until the event's next attempt; null: it is given up. */
  readonly retryMs: number | null;
  /** Milliseconds for which the receiver must be left alone. */
  readonly pauseMs: number;
  /** Not null: the webhook is disabled for this reason. */
  readonly disabledReason: string | null;
}

/** 'gone': there is no such webhook any more; a number: milliseconds until something is due; null: nothing waits. */
export type Next = Delivery | 'gone' | number | null;

/** Notes that the caller works on the webhook. If there is no delivery, notes that nobody does. */
export async function nextDelivery(db: Queryable, webhookId: string): Promise<Next> {
  for (;;) {
    const [webhook] = await tendWebhook(db, webhookId);
    if (webhook === undefined) return 'gone';
    const due =
      testOf(webhookId, webhook) ?? (webhook.ready ? await nextEvent(db, webhookId, webhook) : null);
    if (due !== null) return due;
    await restWebhook(db, webhookId);
    const [outlook] = await webhookOutlook(db, webhookId);
    const waitMs = outlook?.wait_ms ?? null;
    if (waitMs === null || waitMs > 0) return waitMs;
  }
}

function testOf(webhookId: string, webhook: TendedWebhook): Delivery | null {
  const { test_id: id, test_at: at } = webhook;
  if (id === null || at === null) return null;
  const message = { id, crawlId: null, kind: webhookTestKind, at: at.toISOString(), data: {} };
  return { webhookId, webhook, messageId: messageIdOf(id, null), message, attempt: 1, place: null };
}

async function nextEvent(db: Queryable, webhookId: string, webhook: TendedWebhook): Promise<Delivery | null> {
  for (;;) {
    const [due] = await nextWebhookEvent(db, webhookId, webhook.kinds);
    if (due === undefined) return null;
    const { crawl_id: crawlId, settled, number, kind, at, data } = due;
    if (number === null) {
      await moveWebhookCursor(db, webhookId, crawlId, settled, due.last);
      continue;
    }
    const message = {
      id: String(number),
      crawlId: String(crawlId),
      kind,
      at: at.toISOString(),
      data: { ...data },
    };
    return {
      webhookId,
      webhook,
      messageId: messageIdOf(message.id, message.crawlId),
      message,
      attempt: due.attempts + 1,
      place: { crawlId, number, settled },
    };
  }
}

/** The receiver has accepted the event. */
export async function settleDelivered(
  pool: Pool,
  delivery: Delivery,
  status: number,
  tookMs: number,
): Promise<void> {
  const { webhookId, place } = delivery;
  await inTransaction(pool, async (db) => {
    const [webhook] =
      place === null
        ? await settleWebhookTest(db, webhookId, delivery.message.id)
        : await noteWebhookSuccess(db, webhookId);
    if (webhook === undefined) return;
    if (place !== null) await moveWebhookCursor(db, webhookId, place.crawlId, place.settled, place.number);
    await note(db, delivery, 'delivered', status, null, tookMs);
  });
}

/** The receiver has not accepted the event, or could not be asked. */
export async function settleFailed(
  pool: Pool,
  delivery: Delivery,
  failure: Failure,
  tookMs: number,
): Promise<void> {
  const { webhookId, webhook, place, attempt, message } = delivery;
  const { status, counts, retryMs, pauseMs, disabledReason } = failure;
  const isGivenUp = place !== null && retryMs === null;
  await inTransaction(pool, async (db) => {
    const [held] =
      place === null
        ? await settleWebhookTest(db, webhookId, message.id)
        : await noteWebhookFailure(
            db, webhookId, webhook.version, pauseMs, isGivenUp ? 1 : 0, disabledReason,
          ); // prettier-ignore
    if (held === undefined) return;
    // The request used settings that were edited since, so its failure says nothing about the present settings.
    if ('isSame' in held && !held.isSame) {
      await note(db, delivery, 'failed', status, failure.message, tookMs);
      return;
    }
    if (place !== null && retryMs !== null) {
      await delayWebhookCursor(db, webhookId, place.crawlId, place.settled, counts ? 1 : 0, retryMs);
    } else if (place !== null) {
      const { crawlId, settled, number } = place;
      const moved = await moveWebhookCursor(db, webhookId, crawlId, settled, number);
      if (moved.length > 0) {
        const letter: NewWebhookLetter = {
          crawl_id: crawlId,
          number,
          kind: message.kind,
          attempts: attempt,
          status,
          message: failure.message,
        };
        await insertWebhookLetter(db, webhookId, JSON.stringify(letter), keptLetters);
      }
    }
    await note(db, delivery, isGivenUp ? 'given-up' : 'failed', status, failure.message, tookMs);
  });
}

async function note(
  db: Queryable,
  { webhookId, messageId, message, attempt, place }: Delivery,
  outcome: DeliveryOutcome,
  status: number | null,
  words: string | null,
  tookMs: number,
): Promise<void> {
  const noted: WebhookAttempt = {
    message_id: messageId,
    crawl_id: place?.crawlId ?? null,
    number: place?.number ?? null,
    kind: message.kind,
    attempt,
    outcome,
    status,
    message: words,
    took_ms: Math.round(tookMs),
  };
  await noteWebhookAttempt(db, webhookId, JSON.stringify(noted), keptAttempts);
}
