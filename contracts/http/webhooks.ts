/** Webhooks (F38) on the wire: what is sent to receivers, and how they are managed. */
import { z } from 'zod';
import { count, crawlId, givenInstant, instant, limit } from './shared.ts';
import { crawlEvent, eventKinds } from './events.ts';

/** Webhooks of a tenant at most. */
export const mostWebhooks = 20;
/** Attempts, and dead letters, that are kept of a webhook. */
export const keptAttempts = 200;
export const keptLetters = 1_000;
export const webhookTestKind = 'webhook.test';

/** The key of the signatures begins with this text; Base64 follows. */
export const webhookSecretStart = 'whsec_';

const receiver = z
  .string()
  .max(2_048)
  .transform((text, context) => {
    const url = URL.parse(text.trim());
    const refuse = (message: string): never => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
      return refuse('not a URL such as https://example.com/hook');
    if (url.username !== '' || url.password !== '')
      return refuse('must not contain a user name or password, since events are signed');
    url.hash = '';
    return url.href;
  })
  .meta({
    description: 'http or https URL at a public address. Redirects are not followed.',
    examples: ['https://example.com/hook'],
  });

const kinds = z
  .array(z.enum(eventKinds))
  .min(1)
  .max(eventKinds.length)
  .transform((wanted) => [...new Set(wanted)])
  .nullable()
  .meta({ description: 'Kinds of events that are sent; null: all kinds, also those of later versions.' });

export const webhookPath = z.strictObject({
  webhookId: z.uuid().meta({ description: 'Id of the webhook.' }),
});

export const newWebhook = z
  .strictObject({
    url: receiver,
    kinds: kinds.optional().meta({ description: 'Kinds of events to send; absent or null: all kinds.' }),
    crawlId: crawlId
      .optional()
      .meta({ description: 'Send only events of this crawl; absent: events of all crawls of the tenant.' }),
  })
  .meta({ id: 'NewWebhook' });

export const webhookChange = z
  .strictObject({
    url: receiver,
    kinds,
    enabled: z
      .boolean()
      .meta({ description: 'True: delivery goes on after the last event that was delivered.' }),
  })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'give at least one field to change')
  .meta({ id: 'WebhookChange', description: 'Fields that are not given stay as they are.' });
export type WebhookChange = z.infer<typeof webhookChange>;

export const webhookView = z
  .object({
    id: z.string(),
    url: z.string(),
    kinds: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Kinds of events that are sent; null: all kinds.' }),
    crawlId: z
      .string()
      .nullable()
      .meta({ description: 'Crawl whose events are sent; null: all crawls of the tenant.' }),
    enabled: z.boolean(),
    disabledAt: instant.nullable(),
    disabledReason: z.string().nullable(),
    createdAt: instant,
    lastDeliveredAt: instant.nullable(),
    failures: count.meta({ description: 'Number of attempts that failed in a row.' }),
    notBefore: instant
      .nullable()
      .meta({ description: 'No attempt is made before this time; null: attempts may be made.' }),
    pendingCrawls: count.meta({ description: 'Number of crawls with events that wait to be delivered.' }),
    deadLetters: count.meta({
      description: 'Number of events that were given up and have not been replayed since.',
    }),
  })
  .meta({ id: 'Webhook' });
export type WebhookView = z.infer<typeof webhookView>;

export const createdWebhook = webhookView
  .extend({
    secret: z.string().meta({
      description: `Key of the signatures: \`${webhookSecretStart}\` and Base64. It is shown only in this answer.`,
    }),
  })
  .meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.infer<typeof createdWebhook>;

export const webhookList = z.object({ items: z.array(webhookView) }).meta({ id: 'Webhooks' });

const deliveryOutcomes = ['delivered', 'failed', 'given-up'] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

const status = z.int().nullable().meta({ description: 'Status of the answer; null: there was no answer.' });

export const defaultDeliveryLimit = 100;
export const deliveriesQuery = z.strictObject({ limit: limit(keptLetters, defaultDeliveryLimit) });

export const deliveries = z
  .object({
    attempts: z
      .array(
        z.object({
          messageId: z.string().meta({ description: 'Value of the `webhook-id` header.' }),
          crawlId: z.string().nullable().meta({ description: 'Null, like eventId: the message was a test.' }),
          eventId: z.string().nullable(),
          kind: z.string(),
          attempt: count.meta({ description: 'Number of the attempt, from 1.' }),
          at: instant,
          outcome: z
            .enum(deliveryOutcomes)
            .meta({ description: 'given-up: the attempt failed, and the event is now a dead letter.' }),
          status,
          message: z.string().nullable().meta({ description: 'What went wrong; null: nothing.' }),
          tookMs: count.meta({ description: 'Milliseconds that the attempt took.' }),
        }),
      )
      .meta({ description: `The latest attempt comes first; the last ${String(keptAttempts)} are kept.` }),
    deadLetters: z
      .array(
        z.object({
          crawlId: z.string(),
          eventId: z.string(),
          kind: z.string(),
          attempts: count,
          status,
          message: z.string(),
          at: instant,
        }),
      )
      .meta({
        description: `Events that were given up; the latest comes first, and the last ${String(keptLetters)} are kept.`,
      }),
  })
  .meta({ id: 'WebhookDeliveries' });
export type Deliveries = z.infer<typeof deliveries>;

export const newReplay = z
  .strictObject({
    crawlId: crawlId
      .optional()
      .meta({ description: 'Only events of this crawl; absent: events of all crawls of the webhook.' }),
    after: crawlEvent.shape.id
      .regex(/^\d{1,15}$/, 'not the id of an event')
      .optional()
      .meta({ description: 'Only events of `crawlId` after the one with this id; 0: all events.' }),
    since: givenInstant
      .optional()
      .meta({ description: 'Only events that happened at this instant or later.' }),
  })
  .superRefine((asked, context) => {
    if ((asked.after === undefined) === (asked.since === undefined))
      context.addIssue({ code: 'custom', message: 'either after or since must be given, and not both' });
    else if (asked.after !== undefined && asked.crawlId === undefined)
      context.addIssue({ code: 'custom', path: ['crawlId'], message: 'must be given together with after' });
  })
  .meta({ id: 'NewWebhookReplay' });

export const replayAnswer = z
  .object({
    crawls: count.meta({ description: 'Number of crawls whose events will be sent, or sent again.' }),
  })
  .meta({ id: 'WebhookReplay' });

export const testAnswer = z
  .object({
    messageId: z.string().meta({
      description:
        'Value that the `webhook-id` header of the test will have; GET …/deliveries shows the result.',
    }),
  })
  .meta({ id: 'WebhookTest' });

/** The body that receivers get. */
export const webhookMessage = crawlEvent
  .extend({
    crawlId: z.string().nullable().meta({ description: 'Crawl of the event; null: the message is a test.' }),
  })
  .meta({ id: 'WebhookMessage' });
export type WebhookMessage = z.infer<typeof webhookMessage>;

/** `webhook-id`: the same for every attempt at an event, replays too. */
export const messageIdOf = (id: string, crawlId: string | null): string =>
  crawlId === null ? `test_${id}` : `evt_${crawlId}_${id}`;
