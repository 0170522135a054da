/** A public ranking of domains (F02): imported as a stream of lines, looked up, removed. */
import { z } from 'zod';
import { domain } from './patterns.ts';
import { asInteger, count, wholeNumber } from './shared.ts';

/** Content types of bodies that are read line by line; the lines themselves say which format they have. */
export const rankLineTypes = ['text/csv', 'text/tab-separated-values'] as const;

/** Bytes and lines of one body at most: Common Crawl ranks some 300 million hosts. */
export const maxRankBytes = 32 * 1024 ** 3;
export const maxRankLines = 1_000_000_000;
/** Bytes of one line at most; a longer line is refused without being held. */
export const maxRankLineBytes = 4 * 1024;
/** Refused lines that an answer shows. */
export const refusedLinesShown = 20;
export const defaultRanked = 1_000_000;
const mostRanked = 10_000_000;

export const rankImportQuery = z.strictObject({
  most: z
    .string()
    .regex(/^\d{1,8}$/, 'a whole number')
    .transform(Number)
    .pipe(wholeNumber(1, mostRanked))
    .optional()
    .meta({
      ...asInteger(1, mostRanked),
      description: `Domains with a worse place are left out; ${String(defaultRanked)} by default.`,
    }),
});

export const importedRanks = z
  .object({
    domains: count.meta({ description: 'Domains that are ranked now.' }),
    beyond: count.meta({ description: 'Lines that were left out because their place is worse than `most`.' }),
    refusedCount: count,
    refused: z
      .array(z.object({ line: z.int(), text: z.string() }))
      .meta({ description: 'The first lines that are no lines of a ranking, and were left out.' }),
  })
  .meta({ id: 'ImportedRanks' });
export type ImportedRanks = z.infer<typeof importedRanks>;

export const ranksQuery = z.strictObject({
  domain: domain.optional().meta({ description: 'A domain to look up.' }),
});

export const ranksView = z
  .object({
    domains: count.meta({ description: 'Domains that are ranked.' }),
    ranked: z.object({ domain: z.string(), place: z.int() }).nullable().meta({
      description:
        'The domain that was asked for, or the nearest one above it that is ranked; null: none is, or none was asked for.',
    }),
  })
  .meta({ id: 'Ranks' });
export type RanksView = z.infer<typeof ranksView>;

export const removedRanks = z.object({ removed: count }).meta({ id: 'RemovedRanks' });
