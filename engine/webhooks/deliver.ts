/** Sends the events of crawls to the receivers of webhooks (F38): in order per crawl, each at least once. */
import { createHmac } from 'node:crypto';
import type { Poster, PostResult } from '../../contracts/posting.ts';
import { askedPauseMs } from '../../domain/retry-after.ts';
import { mostGivenUp, restMs, retryDelayMs, webhookAttempts } from '../../domain/webhook-retry.ts';
import { retrying } from '../../storage/postgres/index.ts';
import {
  nextDelivery,
  settleDelivered,
  settleFailed,
  type Delivery,
  type Failure,
} from '../../storage/webhooks/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { done, more, type Job } from '../jobs/job.ts';

/** Milliseconds that the workflow stays open with nothing to send: events of a crawl come a few at a time. */
const lingerMs = 600_000;
/** Milliseconds until an event is sent again after a fault of ours, such as DNS. */
const ownTroubleMs = 30_000;

export interface WebhookTiming {
  /** Time limit of a request, in milliseconds. */
  readonly requestMs: number;
  /** Factor for all waits, except those that receivers ask for. */
  readonly scale: number;
}
const usualTiming: WebhookTiming = { requestMs: 15_000, scale: 1 };

const waits = 'Events wait: `GET /v1/webhooks/{webhookId}/deliveries` shows attempts and failures.';
const rests = 'Every event is delivered, given up, or waits for the webhook to be enabled.';

/** Events, receivers and secrets stay in Postgres: only the webhook's id is in histories. */
export function webhookJobs(
  { pool }: Pick<Dependencies, 'pool'>,
  post: Poster,
  timing: WebhookTiming = usualTiming,
): Job {
  const send = async (delivery: Delivery): Promise<void> => {
    const { webhook, messageId, message } = delivery;
    const body = JSON.stringify(message);
    const now = Date.now();
    const startedAt = performance.now();
    const result = await post({
      url: webhook.url,
      headers: signedHeaders(webhook.secret, messageId, Math.floor(now / 1_000), body),
      body,
      timeoutMs: timing.requestMs,
    });
    const tookMs = performance.now() - startedAt;
    if (result.kind === 'response' && result.status >= 200 && result.status < 300) {
      await retrying(() => settleDelivered(pool, delivery, result.status, tookMs));
    } else {
      const failure = judge(delivery, result, now, timing.scale);
      await retrying(() => settleFailed(pool, delivery, failure, tookMs));
    }
  };

  return {
    work: async ({ id, goOn }) => {
      while (goOn()) {
        const next = await nextDelivery(pool, id);
        if (next === 'gone') return done('It does not exist any more.');
        if (next === null) return { ...done(rests), waitMs: lingerMs };
        if (typeof next === 'number') return { ...more(null, waits), waitMs: next };
        await send(next);
      }
      return more(null, waits);
    },
  };
}

/** What to do after a failed attempt. Waits vary by a tenth, so that webhooks do not all retry together. */
function judge({ webhook, attempt }: Delivery, result: PostResult, now: number, scale: number): Failure {
  const scattered = scale * (0.9 + 0.2 * Math.random());
  if (result.kind === 'fault' && result.isOurs) {
    const pauseMs = ownTroubleMs * scattered;
    return { status: null, message: result.message, counts: false, retryMs: pauseMs, pauseMs, disabledReason: null }; // prettier-ignore
  }
  const status = result.kind === 'response' ? result.status : null;
  const message = result.kind === 'response' ? sentenceOf(result.status) : result.message;
  const askedMs = result.kind === 'response' ? askedPauseMs(result.headers, now) : null;
  const pauseMs = restMs(webhook.failures + 1, askedMs, scattered);
  if (status === 410) {
    // The event waits until somebody enables the webhook again.
    const disabledReason = 'the receiver answered 410 Gone';
    return { status, message, counts: false, retryMs: 0, pauseMs, disabledReason };
  }
  const retryMs = attempt >= webhookAttempts ? null : Math.max(retryDelayMs(attempt, scattered), pauseMs);
  const isLost = retryMs === null && webhook.given_up + 1 >= mostGivenUp;
  const disabledReason = isLost ? `${String(mostGivenUp)} events in a row were given up` : null;
  return { status, message, counts: true, retryMs, pauseMs, disabledReason };
}

const sentenceOf = (status: number): string =>
  status >= 300 && status < 400
    ? `The receiver answered ${String(status)}, a redirect, which is not followed.`
    : `The receiver answered ${String(status)}; only a 2xx status says that it received the event.`;

/**
 * The headers by which a receiver verifies a message (Standard Webhooks 1.0, symmetric signatures, version `v1`).
 * @param secret the bytes of the key, not their text
 * @param timestamp of this attempt, in seconds since 1970
 */
export function signedHeaders(
  secret: Uint8Array,
  messageId: string,
  timestamp: number,
  body: string,
): Readonly<Record<string, string>> {
  const signature = createHmac('sha256', secret)
    .update(`${messageId}.${String(timestamp)}.${body}`)
    .digest('base64');
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
}
