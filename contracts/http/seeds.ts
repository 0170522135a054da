/** More seeds for a crawl that is there (F01): one JSON body, or a stream of lines. */
import { z } from 'zod';
import { count, newCrawl, rejectedSeed } from '../http.ts';

/** Content types whose body is read line by line. Neither can be sent by another site's page without asking first. */
export const seedLineTypes = ['text/uri-list', 'application/x-ndjson'] as const;

/** Bytes and lines of one streamed body at most. */
export const maxSeedBytes = 1024 ** 3;
export const maxSeedLines = 10_000_000;
/** Bytes of one line at most: a longer one is rejected without being held. */
export const maxSeedLineBytes = 16 * 1024;
/** Rejected seeds that an answer shows. */
export const rejectedSeedsShown = 100;

export const moreSeeds = z
  .strictObject({ urls: newCrawl.shape.seeds })
  .meta({ id: 'MoreSeeds', examples: [{ urls: ['https://example.com/news/'] }] });

export const addedSeeds = z
  .object({
    accepted: count.meta({
      description: 'Stored; those the crawl knows already are fetched once all the same.',
    }),
    rejectedCount: count,
    rejected: z.array(rejectedSeed).meta({ description: 'The first 100 of them.' }),
  })
  .meta({ id: 'AddedSeeds' });
export type AddedSeeds = z.infer<typeof addedSeeds>;
