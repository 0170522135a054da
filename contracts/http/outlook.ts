/** What a crawl waits for, and how long it may still take (G14), on the wire. */
import { z } from 'zod';
import { hostWaitNames, hostWaits } from '../../domain/host-state.ts';
import { crawlStates } from '../crawl.ts';
import { crawlEta } from './crawl-time.ts';
import { outagesView } from './outages.ts';
import { count, instant, limit } from './shared.ts';

const lastError = z.string().nullable().meta({
  description:
    'The last trouble of the host, as `class: message`; what showed that it has logged the crawl out, if it has.',
});

const waitingHost = z
  .object({
    origin: z.string(),
    queued: count.meta({ description: 'URLs of this crawl that wait at the host.' }),
    why: z
      .enum(hostWaitNames)
      .meta({ description: `${hostWaitNames.map((name) => `${name}: ${hostWaits[name]}`).join('; ')}.` }),
    lastError,
    until: instant.nullable().meta({
      description: 'When the wait ends; null: not known, because it ends when a person or a probe ends it.',
    }),
  })
  .meta({ id: 'WaitingHost' });
export type WaitingHost = z.infer<typeof waitingHost>;

const parkedHost = z
  .object({
    origin: z.string(),
    queued: count.meta({ description: 'URLs of this crawl that wait at the host.' }),
    why: z.enum(['parked', 'logged-out']).meta({ description: 'As in `waiting`.' }),
    lastError,
  })
  .meta({ id: 'ParkedHost' });
export type ParkedHost = z.infer<typeof parkedHost>;

export const defaultOutlookLimit = 10;
const outlookFields = ['parked'] as const;
export const outlookQuery = z.strictObject({
  limit: limit(100, defaultOutlookLimit),
  fields: z.enum(outlookFields).optional().meta({ description: '`parked` for the list of parked hosts.' }),
});

export const crawlOutlookView = z
  .object({
    crawlId: z.string(),
    state: z.enum(crawlStates),
    waiting: z.object({
      hosts: count.meta({ description: 'Hosts with queued URLs to which no request can be sent now.' }),
      items: z.array(waitingHost).meta({ description: 'Some of these hosts; parked hosts come last.' }),
    }),
    parked: z.array(parkedHost).optional().meta({
      description:
        'Only with fields=parked. Parked hosts that the crawl has met, those with the most queued URLs first. A crawl that is over shows them too, although it waits for nothing.',
    }),
    onlyWaiting: z
      .boolean()
      .meta({ description: 'True: the crawl can do nothing at the moment but wait for these hosts.' }),
    outages: outagesView,
    eta: crawlEta.nullable().meta({
      description:
        'When the crawl will be over, as GET /v1/crawls/{crawlId}/time says. Null: the crawl is not running, or nothing is left.',
    }),
  })
  .meta({ id: 'CrawlOutlook' });
export type CrawlOutlookView = z.infer<typeof crawlOutlookView>;
