/** What a crawl has found, on the wire: its pages, and its ledger recounted. */
import { z } from 'zod';
import { urlReasons } from '../../domain/url-reason.ts';
import { crawlStates, urlStates } from '../crawl.ts';
import { cutView, ledgerView } from './crawls.ts';
import { pageFilter } from './page-filter.ts';
import { commaSeparated, count, instant, limit, nextCursor } from './shared.ts';

const maxPageLimit = 1_000;

const pageFields = ['links', 'text'] as const;
export type PageField = (typeof pageFields)[number];

export const defaultPageLimit = 100;

export const pagesQuery = z.strictObject({
  cursor: z.string().max(200).optional().meta({ description: '`next` of the answer before.' }),
  limit: limit(maxPageLimit, defaultPageLimit),
  fields: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(pageFields)))
    .optional()
    .meta({
      pattern: commaSeparated(pageFields),
      description: 'Comma-separated: `links` for the list of links, `text` for the text.',
    }),
  ...pageFilter.shape,
});

export const pageView = z
  .object({
    url: z.string(),
    state: z.enum(urlStates),
    status: z.int().nullable(),
    reason: z.enum(urlReasons).nullable().meta({ description: 'Why it is in this state.' }),
    title: z.string().nullable(),
    description: z.string().nullable(),
    language: z.string().nullable().meta({ description: 'ISO 639-1.' }),
    words: count.nullable(),
    linkCount: count.nullable(),
    contentHash: z.string().nullable().meta({ description: 'SHA-256 of the body, hex.' }),
    contentType: z.string().nullable(),
    bytes: count,
    depth: count,
    fetchedAt: instant,
    duplicateOf: z.string().nullable().meta({
      description: 'URL of the page with the same content. Title, text and links are then that page’s.',
    }),
    redirectTo: z.string().nullable(),
    noindex: z.boolean().nullable(),
    canonical: z.string().nullable().meta({ description: 'What the page names as its rel=canonical.' }),
    cut: cutView,
    links: z.array(z.string()).nullable().optional().meta({ description: 'With fields=links.' }),
    text: z.string().nullable().optional().meta({ description: 'With fields=text.' }),
  })
  .meta({ id: 'Page' });
export type PageView = z.infer<typeof pageView>;

export const pageList = z
  .object({
    items: z.array(pageView).meta({
      description:
        'With a filter maybe none, though more follow: an answer looks at 20,000 pages at most. `more` tells.',
    }),
    next: nextCursor.meta({
      description:
        'Give it as `cursor` to go on. Never null while the crawl is open: later pages follow. Null: that was all.',
    }),
    more: z.boolean().meta({
      description:
        'True: more pages are there now, so ask again at once. False: there are none yet, so ask later.',
    }),
  })
  .meta({ id: 'PageList' });

export const auditView = z
  .object({
    crawlId: z.string(),
    state: z.enum(crawlStates),
    at: instant,
    ok: z.boolean().meta({ description: 'No differences.' }),
    balanced: z.boolean().meta({ description: 'The ledger’s sum adds up.' }),
    ledger: ledgerView,
    recount: ledgerView.meta({ description: 'The same, counted anew over every URL of the crawl.' }),
    hosts: count.meta({ description: 'Hosts whose counters were recounted.' }),
    differences: z.array(
      z.object({ check: z.string(), expected: z.number(), actual: z.number(), detail: z.string() }),
    ),
  })
  .meta({ id: 'Audit' });
export type AuditView = z.infer<typeof auditView>;
