/** Re-extractions, on the wire. */
import { z } from 'zod';
import { mostSamples } from '../../domain/reextraction/tally.ts';
import { reextractionStates } from '../../domain/reextraction/may.ts';
import { count, crawlPath, instant, limit, nextCursor } from './shared.ts';

export const reextractionPath = z.strictObject({
  ...crawlPath.shape,
  reextractionId: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'it must be the number of a re-extraction')
    .meta({ description: 'Id of the re-extraction.', examples: ['1'] }),
});

const reasons = z.partialRecord(
  z.enum([
    ...(['missing', 'damaged', 'extractor-fault', 'documentsTooLarge', 'documentsTooSlow'] as const),
    ...(['documentsTooMuchMemory', 'brokenDocuments', 'lockedDocuments'] as const),
    ...(['rulesTooSlow', 'rulesTooMuchMemory', 'brokenRules'] as const),
  ]),
  count,
);

const figures = {
  pages: count.meta({ description: 'Pages whose stored body was read again so far, or could not be read.' }),
  equal: count.meta({ description: 'Of these, pages that say the same as before.' }),
  different: count.meta({
    description: 'Pages that say something else: only these have a row of their own.',
  }),
  unread: reasons.meta({
    description:
      'Pages whose body could not be read again, by reason; they keep what they have. `missing`, `damaged`: the stored body is. `extractor-fault`: the extractor failed at it. The others: documents that an earlier reading had got a text of, and pages to which the rules could not be applied, as they could before.',
  }),
};

export const reextractionView = z
  .object({
    id: z.string(),
    crawlId: z.string(),
    state: z.enum(reextractionStates).meta({
      description:
        '`finished`: it can be switched to. `keeping`: its extraction is becoming the pages’ own; `kept`: it has. `removing`: its rows are being removed.',
    }),
    inUse: z.boolean().meta({ description: 'Everybody reads this extraction of the crawl.' }),
    settled: z.boolean().meta({
      description:
        'Near-duplicates, copies and the index for searches follow the last switch, or will by themselves: each was told.',
    }),
    reason: z.string().nullable().meta({ description: 'Why the re-extraction failed.' }),
    extractor: z
      .int()
      .nullable()
      .meta({ description: 'Version of the extractor that reads; null: nothing was read yet.' }),
    ...figures,
    ofPages: count.meta({ description: 'Pages that the crawl has.' }),
    createdAt: instant,
    endedAt: instant.nullable(),
  })
  .meta({ id: 'Reextraction' });
export type ReextractionView = z.infer<typeof reextractionView>;

export const reextractionList = z
  .object({ items: z.array(reextractionView), next: nextCursor })
  .meta({ id: 'ReextractionList' });

export const comparisonQuery = z.strictObject({
  field: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'Samples of this field alone, or of pages `unread.REASON`.' }),
  samples: limit(mostSamples, 3).meta({ description: 'Most samples of each field.' }),
});

const sample = z.object({
  url: z.string(),
  before: z.unknown().meta({ description: 'What the page said; null: nothing.' }),
  after: z.unknown().meta({ description: 'What it says to this re-extraction; null: nothing.' }),
});

export const comparison = z
  .object({
    ...figures,
    linksFound: count.meta({
      description: 'Links to follow that only this re-extraction found. They are not followed by themselves.',
    }),
    linksGone: count.meta({ description: 'Links to follow that it no longer found.' }),
    fields: z.array(
      z.object({
        field: z.string().meta({
          description:
            'As pages have it; `meta.…`: of the metadata; `fields.…`: by the rules of the crawl; `text`: hash of the whole text; `links`: links to follow, of which a sample shows those that the other lacks; `main`: fingerprint of the main text, in crawls that look for near-duplicates.',
        }),
        pages: count.meta({ description: 'Pages in which it differs.' }),
        samples: z
          .array(sample)
          .meta({ description: 'Chosen evenly, but for pages that were read anew since.' }),
      }),
    ),
    unreadPages: z
      .array(z.object({ reason: z.string(), urls: z.array(z.string()) }))
      .meta({ description: 'Some of the pages that could not be read again.' }),
  })
  .meta({ id: 'ReextractionComparison' });
export type ReextractionComparison = z.infer<typeof comparison>;
