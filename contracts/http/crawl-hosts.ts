/** The hosts at which a crawl has URLs, on the wire. */
import { z } from 'zod';
import { count, limit, nextCursor } from './shared.ts';

export const defaultCrawlHostLimit = 100;
export const crawlHostsQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'not a cursor that this API gave')
    .optional()
    .meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultCrawlHostLimit),
});

export const crawlHost = z
  .object({
    origin: z.string(),
    domain: z.string().meta({
      description: 'The domain that somebody has registered, or the name or address of the host itself.',
    }),
    urls: count.meta({ description: 'URLs of this crawl at the host, in any state.' }),
    queued: count,
    leased: count,
    waits: z.enum(['paused', 'parked', 'backoff', 'closed', 'logged-out']).nullable().meta({
      description:
        'Why no queued URL can be asked for now, as in the outlook; null: nothing stands in the way, or none is queued.',
    }),
  })
  .meta({ id: 'CrawlHost' });
export type CrawlHost = z.infer<typeof crawlHost>;

export const crawlHostList = z
  .object({
    items: z.array(crawlHost),
    next: nextCursor.meta({
      description: 'Give this value as `cursor` to go on; null: there are no more hosts.',
    }),
  })
  .meta({ id: 'CrawlHostList' });
