/**
 * The fields of a page, each told once. What the API answers, what statements read and store, and the columns of CSV and
 * Parquet are made from these lists, in their order. A field that the page says of itself and that nobody lists or
 * filters by is a line of http/page-meta.ts instead.
 */
import { z } from 'zod';
import { urlReasons } from '../domain/url-reason.ts';
import { urlStates } from './crawl.ts';
import { cutView } from './http/counts.ts';
import { nearDuplicate, pageAnchor, pageImage, revisit } from './http/page-details.ts';
import { pageMeta } from './http/page-meta.ts';
import { pageFieldsView } from './http/page-rules.ts';
import { count, instant } from './http/shared.ts';

/** A column of `url`: what is known since the page was fetched. */
const visited = <S extends z.ZodType>(column: string, schema: S) => ({
  from: 'url' as const,
  column,
  schema,
});

/**
 * A column of `reading`: what extraction finds (content/extract.ts), under the name of the field.
 * Lists have null where nothing was extracted.
 */
const extracted = <C extends string, S extends z.ZodType>(column: C, type: string, found: S) => ({
  from: 'page' as const,
  column,
  type,
  found,
  schema: (found instanceof z.ZodNullable ? found : found.nullable()) as z.ZodType<z.output<S> | null>,
});

/** Made by the statements that list pages (storage/pages/page-feed.ts). */
const made = <S extends z.ZodType>(schema: S) => ({ from: 'feed' as const, column: null, schema });

/** What a page is always shown with. */
export const listedFields = {
  url: visited('url', z.string()),
  state: visited('state', z.enum(urlStates)),
  status: visited('status', z.int().nullable()),
  reason: visited(
    'reason',
    z.enum(urlReasons).nullable().meta({ description: 'Why the URL is in this state, as a code.' }),
  ),
  title: extracted('title', 'text', z.string().nullable()),
  description: extracted('description', 'text', z.string().nullable()),
  language: extracted('language', 'text', z.string().nullable().meta({ description: 'ISO 639-1.' })),
  words: extracted('words', 'int', count),
  linkCount: extracted('links', 'int', count),
  contentType: visited('content_type', z.string().nullable()),
  bytes: visited('bytes', count),
  depth: visited('depth', count),
  fetchedAt: visited('fetched_at', instant),
  duplicateOf: made(
    z.string().nullable().meta({
      description:
        'URL of the page that stands for all with this content. Null: the page has content of its own, or stands for others. May change while the crawl is open, as pages with the same text come and go.',
    }),
  ),
  duplicateBy: made(
    z.enum(['body', 'text']).nullable().meta({
      description:
        'What the page has in common with the page in `duplicateOf`. `body`: title, text and links are those of that page. `text`: the page was read for itself.',
    }),
  ),
  nearDuplicateOf: made(
    nearDuplicate.nullable().meta({
      description:
        'The page whose text this one nearly has. Null: there is none, the crawl does not look for any, or the page has not been judged yet, which takes some seconds.',
    }),
  ),
  revisitOf: made(
    revisit.nullable().meta({
      description:
        'The crawl of the same tenant that had this body first, with its page: the one with the same URL, or else the one that stands for the body there. Null: this crawl had it first, or the other crawl was deleted.',
    }),
  ),
  redirectTo: visited('redirect_to', z.string().nullable()),
  canonical: extracted(
    'canonical',
    'text',
    z.string().nullable().meta({ description: 'The URL that the page names as its rel=canonical.' }),
  ),
  noindex: extracted('noindex', 'boolean', z.boolean()),
  contentHash: visited(
    'content_hash',
    z.string().nullable().meta({
      description: 'SHA-256 of the body that this crawl fetched, hex. Null: it has none.',
    }),
  ),
  reportedHash: visited(
    'reported_hash',
    z.string().nullable().meta({
      description:
        'SHA-256 of the body, hex, as a foreign fetcher reported it: the body is not here. Null: nobody reported one.',
    }),
  ),
  screenshot: made(
    z.string().nullable().meta({
      description:
        'SHA-256 of the picture (PNG) that a browser took of the page, hex; GET /v1/crawls/{crawlId}/body gives it with part=screenshot. Null: there is none.',
    }),
  ),
  pdf: made(
    z.string().nullable().meta({
      description:
        'SHA-256 of the PDF that a browser printed of the page, hex; GET /v1/crawls/{crawlId}/body gives it with part=pdf. Null: there is none.',
    }),
  ),
  cut: made(cutView),
};

type Listed = typeof listedFields;
export type ListedField = keyof Listed;
export type ListedPage = { readonly [F in ListedField]: z.output<Listed[F]['schema']> };
export const listedNames = Object.keys(listedFields) as readonly ListedField[];

export type MadeField = { [F in ListedField]: Listed[F]['from'] extends 'feed' ? F : never }[ListedField];

/** What extraction finds of these, by the names of the fields. */
export type ListedExtraction = {
  readonly [F in ListedField as Listed[F] extends { found: z.ZodType } ? F : never]: Listed[F] extends {
    found: infer S extends z.ZodType;
  }
    ? z.output<S>
    : never;
};
/** The same by the names of the columns. */
export type ListedColumns = {
  readonly [F in keyof ListedExtraction as Listed[F]['column'] & string]: ListedExtraction[F];
};

/** @param more what it is, if the name does not say so */
const asked = <S extends z.ZodType>(from: 'page' | 'body', words: string, schema: S, more?: string) => ({
  from,
  words,
  more,
  schema,
});

/** What a page is shown with only if it is asked for, since it is large or is read from the body. */
export const askedFields = {
  links: asked('page', 'the list of links', z.array(z.string())),
  text: asked('body', 'the text', z.string()),
  main: asked(
    'body',
    'the text without what surrounds it on the page',
    z.string(),
    'the text without navigation, sidebars and the like',
  ),
  meta: asked('page', 'what else the page says of itself', pageMeta),
  fields: asked(
    'page',
    'the values that the rules of the crawl take from it',
    pageFieldsView,
    'the values that the rules of the crawl take from the page, by name. Null: nothing was read by rules',
  ),
  anchors: asked('body', 'links with their words and position', z.array(pageAnchor)),
  images: asked('body', 'images', z.array(pageImage)),
};
export type PageField = keyof typeof askedFields;
export const pageFields = Object.keys(askedFields) as [PageField, ...PageField[]];
