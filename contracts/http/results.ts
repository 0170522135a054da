/** What a crawl has found, on the wire: its pages, and its ledger recounted. */
import { z } from 'zod';
import { urlReasons } from '../../domain/url-reason.ts';
import { crawlStates, urlStates } from '../crawl.ts';
import { pageFields } from '../page-fields.ts';
import { cutView, ledgerView } from './counts.ts';
import { pageFilter } from './page-filter.ts';
import { pageAnchor, pageImage } from './page-details.ts';
import { pageMeta } from './page-meta.ts';
import { pageFieldsView } from './page-rules.ts';
import { commaSeparated, count, instant, limit, nextCursor } from './shared.ts';

const maxPageLimit = 1_000;

export const defaultPageLimit = 100;

export const pagesQuery = z.strictObject({
  cursor: z.string().max(200).optional().meta({ description: '`next` of the previous answer.' }),
  limit: limit(maxPageLimit, defaultPageLimit),
  fields: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(pageFields)))
    .optional()
    .meta({
      pattern: commaSeparated(pageFields),
      description:
        'Comma-separated: `links` for the list of links, `text` for the text, `main` for the text without what surrounds it on the page, `meta` for what else the page says of itself, `fields` for the values that the rules of the crawl take from it, `anchors` for links with their words and position, `images` for images.',
    }),
  ...pageFilter.shape,
});

export const nearDuplicate = z
  .object({
    url: z.string(),
    likeness: z
      .number()
      .meta({ description: 'Estimated share of pairs of words that both texts have, 0 to 1.' }),
    distance: count.meta({ description: 'Bits of SimHash that differ, of 64.' }),
  })
  .meta({ id: 'NearDuplicate' });

export const revisit = z
  .object({
    crawlId: z.string(),
    url: z.string(),
    storedAt: instant.meta({ description: 'When that crawl first had the body.' }),
  })
  .meta({ id: 'Revisit' });

export const pageView = z
  .object({
    url: z.string(),
    state: z.enum(urlStates),
    status: z.int().nullable(),
    reason: z.enum(urlReasons).nullable().meta({ description: 'Why the URL is in this state, as a code.' }),
    title: z.string().nullable(),
    description: z.string().nullable(),
    language: z.string().nullable().meta({ description: 'ISO 639-1.' }),
    words: count.nullable(),
    linkCount: count.nullable(),
    contentHash: z.string().nullable().meta({
      description: 'SHA-256 of the body that this crawl fetched, hex. Null: it has none.',
    }),
    reportedHash: z.string().nullable().meta({
      description:
        'SHA-256 of the body, hex, as a foreign fetcher reported it: the body is not here. Null: nobody reported one.',
    }),
    contentType: z.string().nullable(),
    bytes: count,
    depth: count,
    fetchedAt: instant,
    duplicateOf: z.string().nullable().meta({
      description:
        'URL of the page that stands for all with this content. Null: the page has content of its own, or stands for others. May change while the crawl is open, as pages with the same text come and go.',
    }),
    duplicateBy: z.enum(['body', 'text']).nullable().meta({
      description:
        'What the page has in common with the page in `duplicateOf`. `body`: title, text and links are those of that page. `text`: the page was read for itself.',
    }),
    nearDuplicateOf: nearDuplicate.nullable().meta({
      description:
        'The page whose text this one nearly has. Null: there is none, the crawl does not look for any, or the page has not been judged yet, which takes some seconds.',
    }),
    revisitOf: revisit.nullable().meta({
      description:
        'The crawl of the same tenant that had this body first, with its page: the one with the same URL, or else the one that stands for the body there. Null: this crawl had it first, or the other crawl was deleted.',
    }),
    redirectTo: z.string().nullable(),
    noindex: z.boolean().nullable(),
    canonical: z
      .string()
      .nullable()
      .meta({ description: 'The URL that the page names as its rel=canonical.' }),
    cut: cutView,
    links: z.array(z.string()).nullable().optional().meta({ description: 'Only with fields=links.' }),
    text: z.string().nullable().optional().meta({ description: 'Only with fields=text.' }),
    main: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Only with fields=main: the text without navigation, sidebars and the like.' }),
    repeated: z.object({ blocks: count, words: count }).optional().meta({
      description:
        'Only with fields=text or fields=main, for crawls that leave repeated text out: what was left out of the text, in blocks and words. Absent: nothing was.',
    }),
    meta: pageMeta.nullable().optional().meta({ description: 'Only with fields=meta.' }),
    fields: pageFieldsView.nullable().optional().meta({
      description:
        'Only with fields=fields: the values that the rules of the crawl take from the page, by name. Null: nothing was read by rules.',
    }),
    anchors: z.array(pageAnchor).nullable().optional().meta({ description: 'Only with fields=anchors.' }),
    images: z.array(pageImage).nullable().optional().meta({ description: 'Only with fields=images.' }),
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
