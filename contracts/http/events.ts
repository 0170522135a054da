/** The events of a crawl on the wire: as a list, and as server-sent events. */
import { z } from 'zod';
import { instant, limit, nextCursor } from './shared.ts';

export const eventKinds = [
  'crawl.created',
  'crawl.running',
  'crawl.paused',
  'crawl.draining',
  'crawl.finished',
  'crawl.cancelled',
  'crawl.failed',
  'crawl.reopened',
  'crawl.edited',
  'seeds.added',
  'host.parked',
  'host.back',
] as const;

export const crawlEvent = z
  .object({
    id: z.string().meta({ description: 'Its number within the crawl, from 1. Good as Last-Event-ID.' }),
    crawlId: z.string(),
    kind: z.string().meta({ description: 'New kinds may come.', examples: [...eventKinds] }),
    at: instant,
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What happened in detail. The fields depend on `kind`.' }),
  })
  .meta({ id: 'CrawlEvent' });
export type CrawlEvent = z.infer<typeof crawlEvent>;

export const defaultEventLimit = 100;
const eventId = z.string().regex(/^\d{1,18}$/, 'an id of an event');

export const eventsQuery = z.strictObject({
  cursor: eventId.optional().meta({ description: '`next` of the answer before.' }),
  limit: limit(1_000, defaultEventLimit),
});

export const lastEventId = eventId.optional();

export const eventList = z
  .object({
    items: z.array(crawlEvent),
    next: nextCursor.meta({
      description: 'Give it as `cursor` to go on. Null: the crawl is over and nothing follows.',
    }),
  })
  .meta({ id: 'CrawlEvents' });
export type EventList = z.infer<typeof eventList>;
