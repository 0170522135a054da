/** Seeds of an existing crawl (F01): listed, and added as one JSON body or as a stream of lines. */
import { z } from 'zod';
import { urlRejections } from '../../domain/url.ts';
import { newCrawl, rejectedSeed } from './crawls.ts';
import { count, limit, nextCursor } from './shared.ts';

/**
 * Content types of bodies that are read line by line. A page of another site cannot send either without asking first.
 */
export const seedLineTypes = ['text/uri-list', 'application/x-ndjson'] as const;

/** A line of each type. */
export const seedLines = {
  'text/uri-list': z
    .string()
    .meta({ description: 'A URL on each line; a line that begins with # is a comment.' }),
  'application/x-ndjson': z
    .union([z.string(), z.looseObject({ url: z.string() })])
    .meta({ description: 'One line of the body: a URL, or an object that has it.' }),
} satisfies Record<(typeof seedLineTypes)[number], z.ZodType>;

/** Bytes and lines of one streamed body at most. */
export const maxSeedBytes = 1024 ** 3;
export const maxSeedLines = 10_000_000;
/** Bytes of one line at most: a longer line is rejected without being held. */
export const maxSeedLineBytes = 16 * 1024;
/** Rejected seeds that an answer shows. */
export const rejectedSeedsShown = 100;

export const moreSeeds = z
  .strictObject({ urls: newCrawl.shape.seeds })
  .meta({ id: 'MoreSeeds', examples: [{ urls: ['https://example.com/news/'] }] });

export const addedSeeds = z
  .object({
    accepted: count.meta({
      description: 'Seeds that were stored. A seed that the crawl already knows is fetched once more.',
    }),
    rejectedCount: count,
    rejected: z.array(rejectedSeed).meta({ description: 'The first 100 rejected seeds.' }),
  })
  .meta({ id: 'AddedSeeds' });
export type AddedSeeds = z.infer<typeof addedSeeds>;

const seedView = rejectedSeed
  .extend({
    url: z
      .string()
      .meta({ description: 'The seed; a rejected seed is shown as it was sent, and cut if it is long.' }),
    state: z.enum(['good', 'rejected']),
    reason: z
      .enum(urlRejections)
      .nullable()
      .meta({ description: 'Why a rejected seed cannot be crawled; null: it was not rejected.' }),
  })
  .meta({ id: 'Seed' });
export type SeedView = z.infer<typeof seedView>;

export const defaultSeedLimit = 100;
export const seedQuery = z.strictObject({
  state: seedView.shape.state.optional(),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'not a cursor that this API gave')
    .optional()
    .meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultSeedLimit),
});
export const seedList = z.object({ items: z.array(seedView), next: nextCursor }).meta({ id: 'SeedList' });
