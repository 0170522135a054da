/** What a crawl has found, on the wire: its pages, and its ledger recounted. */
import { z } from 'zod';
import { crawlStates } from '../crawl.ts';
import { askedFields, listedFields, pageFields } from '../page-fields.ts';
import { ledgerView } from './counts.ts';
import { pageFilter } from './page-filter.ts';
import { commaSeparated, count, instant, limit, maxUrlInUrl, nextCursor } from './shared.ts';

const maxPageLimit = 1_000;

export const defaultPageLimit = 100;

export const pagesQuery = z.strictObject({
  cursor: z.string().max(200).optional().meta({ description: '`next` of the previous answer.' }),
  from: z.enum(['first', 'latest']).optional().meta({
    description:
      'latest: begin with the latest pages, as many as `limit` says (fewer, if other URLs such as sitemaps are among the latest answers), still oldest first; `next` goes on with those that come. first, or with `cursor`: not so.',
  }),
  limit: limit(maxPageLimit, defaultPageLimit),
  fields: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(pageFields)))
    .optional()
    .meta({
      pattern: commaSeparated(pageFields),
      description: `Comma-separated: ${pageFields.map((name) => `\`${name}\` for ${askedFields[name].words}`).join(', ')}.`,
    }),
  ...pageFilter.shape,
});

export const pageQuery = z.strictObject({
  url: z.string().min(1).max(maxUrlInUrl).meta({ description: 'Any spelling of the URL.' }),
  fields: pagesQuery.shape.fields,
});

type Listed = typeof listedFields;
type Asked = typeof askedFields;

const listedShape = Object.fromEntries(
  Object.entries(listedFields).map(([name, { schema }]) => [name, schema]),
) as { [F in keyof Listed]: Listed[F]['schema'] };

const askedShape = Object.fromEntries(
  Object.entries(askedFields).map(([name, { schema, more }]) => {
    const description = `Only with fields=${name}${more === undefined ? '' : `: ${more}`}.`;
    return [name, (schema as z.ZodType).nullable().optional().meta({ description })];
  }),
) as { [F in keyof Asked]: z.ZodOptional<z.ZodNullable<Asked[F]['schema']>> };

export const pageView = z
  .object({
    ...listedShape,
    ...askedShape,
    repeated: z.object({ blocks: count, words: count }).optional().meta({
      description:
        'Only with fields=text or fields=main, for crawls that leave repeated text out: what was left out of the text, in blocks and words. Absent: nothing was.',
    }),
  })
  .meta({ id: 'Page' });
export type PageView = z.infer<typeof pageView>;

export const pageList = z
  .object({
    items: z.array(pageView).meta({
      description:
        'With a filter the list may be empty although more pages follow, since one answer looks at 20,000 pages at most; `more` says whether to go on.',
    }),
    next: nextCursor.meta({
      description:
        'Give this value as `cursor` to get the next pages. Null: there are no more pages. Never null while the crawl is open, because pages may still come.',
    }),
    more: z.boolean().meta({
      description:
        'True: more pages can be read now, so ask again at once. False: there are no more pages yet, so ask later.',
    }),
  })
  .meta({ id: 'PageList' });

export const auditView = z
  .object({
    crawlId: z.string(),
    state: z.enum(crawlStates),
    at: instant,
    ok: z.boolean().meta({ description: 'True: there are no differences.' }),
    balanced: z.boolean().meta({ description: 'True: the states of the ledger add up to `discovered`.' }),
    ledger: ledgerView,
    recount: ledgerView.meta({ description: 'The same numbers, counted again over every URL of the crawl.' }),
    hosts: count.meta({ description: 'Hosts whose counters were recounted.' }),
    differences: z.array(
      z.object({ check: z.string(), expected: z.number(), actual: z.number(), detail: z.string() }),
    ),
  })
  .meta({ id: 'Audit' });
export type AuditView = z.infer<typeof auditView>;
