/** The events of a crawl on the wire: as a list, and as server-sent events. */
import { z } from 'zod';
import { crawlStates } from '../crawl.ts';
import { counts, crawlRate } from './counts.ts';
import { commaSeparated, instant, limit, nextCursor } from './shared.ts';

export const eventKinds = [
  'crawl.created',
  'crawl.running',
  'crawl.paused',
  'crawl.draining',
  'crawl.finished',
  'crawl.cancelled',
  'crawl.failed',
  'crawl.reopened',
  'crawl.restored',
  'crawl.edited',
  'seeds.added',
  'host.parked',
  'host.back',
  'page.changed',
] as const;

export const crawlEvent = z
  .object({
    id: z.string().meta({
      description:
        'The number of the event within its crawl, from 1. Send it as Last-Event-ID to go on after this event.',
    }),
    crawlId: z.string(),
    kind: z.string().meta({ description: 'Later versions may add new kinds.', examples: [...eventKinds] }),
    at: instant,
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Details of the event; which fields there are depends on `kind`.' }),
  })
  .meta({ id: 'CrawlEvent' });
export type CrawlEvent = z.infer<typeof crawlEvent>;

export const defaultEventLimit = 100;
const eventId = z.string().regex(/^\d{1,18}$/, 'not the id of an event');

export const eventsQuery = z.strictObject({
  cursor: eventId.optional().meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultEventLimit),
  kinds: z
    .string()
    .max(1_000)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(eventKinds)).min(1))
    .optional()
    .meta({
      description: 'Only events of these kinds, comma-separated; absent: all. A live stream has all.',
      pattern: commaSeparated(eventKinds),
      examples: ['crawl.paused,crawl.finished'],
    }),
});

export const lastEventId = eventId.optional();

export const eventList = z
  .object({
    items: z.array(crawlEvent),
    next: nextCursor.meta({
      description:
        'Give this value as `cursor` to get the next events. Null: the crawl is over and no event follows.',
    }),
    more: z.boolean().meta({
      description:
        'True: more events can be read now, so ask again at once. False: there are no more events yet, so ask later.',
    }),
  })
  .meta({ id: 'CrawlEvents' });
export type EventList = z.infer<typeof eventList>;

/** One of the server-sent events of a crawl: its fields, and in `data` what their text is as JSON. */
export const streamedEvent = z
  .union([
    z.object({
      id: crawlEvent.shape.id,
      event: crawlEvent.shape.kind,
      data: crawlEvent,
    }),
    z.object({
      event: z.literal('progress'),
      data: counts.omit({ pending: true }).extend({ state: z.enum(crawlStates), rate: crawlRate }),
    }),
    z.object({ event: z.literal('end'), data: z.strictObject({}) }),
  ])
  .meta({
    id: 'StreamedEvent',
    description:
      'One server-sent event by its fields; `data` is sent as JSON on one line. An event of the crawl is named by its kind; `progress` has the present counts and rates, without an id; `end` comes when the crawl is over and all events were sent. Lines that begin with a colon say nothing.',
  });
