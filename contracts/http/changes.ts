/** Versions of pages, their changes and differences on the wire. */
import { z } from 'zod';
import { count, instant, limit, maxUrlInUrl, nextCursor } from './shared.ts';

const versionId = z
  .string()
  .regex(/^[1-9]\d{0,14}-\d{1,9}$/, 'not the id of a version')
  .meta({
    description:
      'The crawl and the number of the version there; 0: the only copy that a crawl without `changes` has.',
    examples: ['7-2'],
  });

const changeShape = {
  fields: z.array(z.string()).min(1).meta({
    description:
      'What changed: `status`, `redirectTo`, fields of the metadata by their names (`title`, `headings`, …), those of the crawl’s rules as `fields.NAME`, `text` for the main text; `body`: the bytes, where no text could be read from them.',
  }),
  wordsAdded: count.nullable().meta({
    description:
      'Words that the main text has now and had not before, each as often; null: it did not change.',
  }),
  wordsRemoved: count.nullable(),
  distance: z.int().min(0).max(64).nullable().meta({
    description:
      'Bits of SimHash in which the main texts differ; null: the text did not change, or has too few words to tell.',
  }),
  minor: z.boolean().meta({
    description:
      'True: only the text changed, and by a hair: a counter, a date. Standing crawls count it as no change.',
  }),
} as const;

/** What an event `page.changed` has for data. */
export const versionChange = z
  .object({
    url: z.string(),
    version: versionId,
    before: versionId,
    fetchedAt: instant,
    fetchedBefore: instant.meta({ description: 'When the version before was fetched first.' }),
    status: z.int().nullable(),
    gone: z.boolean().meta({ description: 'True: the page is not there any more (404, 410, 451).' }),
    bodyHash: z.string().nullable().meta({ description: 'SHA-256 of the body, in hex; null: it has none.' }),
    textHash: z.string().nullable().meta({
      description: 'SHA-256 of the text, in hex; null: it has none, or too few words.',
    }),
    ...changeShape,
  })
  .meta({ id: 'PageChange' });
export type VersionChange = z.infer<typeof versionChange>;

export const defaultChangeLimit = 100;

export const changesQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^\d{1,18}$/, 'not a cursor of this list')
    .optional()
    .meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultChangeLimit),
});

export const changeItem = versionChange
  .extend({ event: z.string().meta({ description: 'Number of the event `page.changed` within the crawl.' }) })
  .meta({ id: 'PageChangeItem' });
export type ChangeItem = z.infer<typeof changeItem>;

export const changeList = z
  .object({
    items: z.array(changeItem),
    next: nextCursor.meta({ description: 'Null: the crawl is over, and no change follows.' }),
    more: z.boolean().meta({ description: 'True: more changes can be read now. False: ask again later.' }),
    compared: count.meta({ description: 'Answers of the crawl that were compared so far.' }),
    forgotten: count.meta({
      description: 'Changes of the crawl that are not in the list any more: the oldest.',
    }),
    dropped: count.meta({
      description: 'Versions of pages that are not kept any more, since newer ones came (`versionsKept`).',
    }),
    lost: count.meta({
      description: 'Answers that could not be compared as texts, since a body was not stored any more.',
    }),
  })
  .meta({ id: 'PageChanges' });

const pageUrl = z.string().min(1).max(maxUrlInUrl).meta({ description: 'URL of the page, in any spelling.' });

export const pageVersionsQuery = z.strictObject({ url: pageUrl });

export const pageVersion = z
  .object({
    version: versionId,
    crawlId: z.string(),
    url: z.string(),
    fetchedAt: instant,
    status: z.int().nullable(),
    gone: z.boolean(),
    redirectTo: z.string().nullable(),
    contentType: z.string().nullable(),
    bodyHash: z.string().nullable(),
    textHash: z.string().nullable(),
    stored: z.boolean().meta({ description: 'True: the body can be read, and compared.' }),
    change: versionChange.nullable().meta({
      description:
        'What changed since the version before; null: the first, or unchanged since an earlier crawl.',
    }),
  })
  .meta({ id: 'PageVersion' });
export type PageVersion = z.infer<typeof pageVersion>;

export const pageVersionList = z.object({ items: z.array(pageVersion) }).meta({ id: 'PageVersions' });

export const diffQuery = z.strictObject({
  url: pageUrl,
  from: versionId.optional().meta({ description: 'Absent: the version before `to`.' }),
  to: versionId.optional().meta({ description: 'Absent: the latest version.' }),
});

export const pageDiff = z
  .object({
    url: z.string(),
    from: versionId,
    to: versionId,
    fields: z
      .array(z.object({ field: z.string(), before: z.unknown().optional(), after: z.unknown().optional() }))
      .meta({
        description: 'Metadata that differs, with its values; absent: the page does not have the field.',
      }),
    text: z
      .object({
        parts: z.array(
          z.object({
            kind: z.enum(['same', 'added', 'removed', 'skipped']),
            text: z.string(),
            lines: count.meta({
              description: 'Unchanged lines that were left out; only where `kind` is `skipped`.',
            }),
          }),
        ),
        exact: z.boolean().meta({
          description:
            'False: the comparison took too long and was cut short, so it shows more changes than there are.',
        }),
        leftOut: count.meta({ description: 'Characters at the ends of the texts that were not compared.' }),
      })
      .nullable()
      .meta({ description: 'The main text; null: one of the versions has no text that can be read.' }),
    change: z
      .object(changeShape)
      .nullable()
      .meta({ description: 'Null: nothing differs that a reader sees.' }),
  })
  .meta({ id: 'PageDiff' });
export type PageDiff = z.infer<typeof pageDiff>;
