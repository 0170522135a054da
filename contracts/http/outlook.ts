/** What a crawl waits for, and how long it may still take (G14), on the wire. */
import { z } from 'zod';
import { crawlStates } from '../crawl.ts';
import { count, instant, limit } from './shared.ts';

const waitReasons = ['paused', 'parked', 'backoff', 'closed', 'delay', 'retry'] as const;

const waitingHost = z
  .object({
    origin: z.string(),
    queued: count.meta({ description: 'URLs of this crawl that wait there.' }),
    why: z.enum(waitReasons).meta({
      description:
        'paused: by an operator; parked: retries spent; backoff: left alone after trouble, or as it asked; closed: by its windows or quota; delay: its delay is longer than a minute; retry: its URLs were tried, and are due again later.',
    }),
    lastError: z.string().nullable().meta({ description: 'The trouble it had last, as `class: message`.' }),
    until: instant.nullable().meta({ description: 'Null: nobody knows, until somebody or a probe ends it.' }),
  })
  .meta({ id: 'WaitingHost' });
export type WaitingHost = z.infer<typeof waitingHost>;

const parkedHost = z
  .object({
    origin: z.string(),
    queued: count.meta({ description: 'URLs of this crawl that wait there.' }),
    lastError: z.string().nullable().meta({ description: 'The trouble it had last, as `class: message`.' }),
  })
  .meta({ id: 'ParkedHost' });
export type ParkedHost = z.infer<typeof parkedHost>;

export const defaultOutlookLimit = 10;
export const outlookQuery = z.strictObject({ limit: limit(100, defaultOutlookLimit) });

export const crawlOutlookView = z
  .object({
    crawlId: z.string(),
    state: z.enum(crawlStates),
    waiting: z.object({
      hosts: count.meta({ description: 'Hosts with queued URLs that cannot be asked now.' }),
      items: z.array(waitingHost).meta({ description: 'Some of them: first those that are not parked.' }),
    }),
    parked: z.array(parkedHost).meta({
      description:
        'Parked hosts that the crawl has met, most queued first; also of a crawl that is over, which waits for nothing.',
    }),
    onlyWaiting: z.boolean().meta({ description: 'Nothing else is left to do at this moment.' }),
    left: z
      .object({
        seconds: z.number(),
        origin: z.string(),
        queued: count,
        delaySeconds: z.number(),
      })
      .nullable()
      .meta({
        description:
          'How long what is queued now takes: the host that takes longest, by its queue and delay. Links to come and hosts that wait are not in it. Null: it does not run, or nothing can be asked now.',
      }),
  })
  .meta({ id: 'CrawlOutlook' });
export type CrawlOutlookView = z.infer<typeof crawlOutlookView>;
