/** Searches by the texts of pages on the wire. */
import { z } from 'zod';
import { mostTerms } from '../../domain/search/query.ts';
import { isMediaRange } from '../../domain/media-filter.ts';
import { hostOrigin } from '../hosts.ts';
import { count, givenInstant, instant, limit, nextCursor } from './shared.ts';

/** Hits that can be had of one search, page after page. */
export const mostHits = 200;
export const defaultHits = 10;
/** Indexed crawls of a tenant, the latest, that a search over all of them looks at. */
export const mostIndexes = 1_000;

/** Crawls whose index is being made that an answer names. */
export const mostBuilding = 10;

const criteria = {
  q: z
    .string()
    .min(1)
    .max(500)
    .meta({
      description: `Words, "phrases in quotes", and -words or -"phrases" that must not be there; all others must be there. ${String(mostTerms)} at most. Words are taken by their stems, as the language of each page has them.`,
      examples: ['durable "polite crawler" -browser'],
    }),
  host: hostOrigin.optional().meta({ description: 'Only pages of this host.' }),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/, 'not a language code such as en')
    .optional()
    .meta({ description: 'Only pages in this language (ISO 639-1).', examples: ['en'] }),
  status: z
    .string()
    .regex(/^[1-9](?:\d\d|[xX]{2})$/, 'neither a status such as 200 nor a class such as 2xx')
    .transform((text) => text.toLowerCase())
    .optional()
    .meta({ description: 'Only pages with this status (`200`), or with a status of this class (`2xx`).' }),
  contentType: z
    .string()
    .max(200)
    .transform((text) => text.replaceAll(' ', '+').toLowerCase())
    .refine(isMediaRange, 'not a media type such as text/html or text/*')
    .optional()
    .meta({ description: 'Only pages of this media type (`text/html`, `text/*`).' }),
  since: givenInstant.optional().meta({ description: 'Only pages answered at this instant or later.' }),
  until: givenInstant.optional().meta({ description: 'Only pages answered before this instant.' }),
  limit: limit(50, defaultHits),
  cursor: z.string().max(100).optional().meta({ description: '`next` of the previous answer.' }),
};

export const crawlSearchQuery = z.strictObject(criteria);

/** Most crawls that one search names. */
const mostCrawls = 50;

export const searchQuery = z.strictObject({
  ...criteria,
  crawl: z
    .string()
    .transform((text) => text.split(','))
    .pipe(
      z
        .array(z.string().regex(/^[1-9]\d{0,14}$/, 'not the number of a crawl'))
        .min(1)
        .max(mostCrawls),
    )
    .optional()
    .meta({
      description: 'Ids of crawls, comma-separated; absent: all crawls of the tenant that are indexed.',
      pattern: '^[1-9][0-9]*(,[1-9][0-9]*)*$',
      examples: ['3,4'],
    }),
});

const hit = z
  .object({
    crawlId: z.string(),
    url: z.string(),
    title: z.string().nullable(),
    language: z.string().nullable(),
    status: z.int().nullable(),
    contentType: z.string().nullable().meta({ description: 'Media type, without parameters.' }),
    fetchedAt: instant,
    score: z.number().meta({ description: 'Higher is better; comparable within one answer only.' }),
    snippet: z
      .array(
        z.object({
          text: z.string(),
          hit: z.boolean().meta({ description: 'The text is what was searched for.' }),
        }),
      )
      .meta({ description: 'A piece of the text around what was searched for, in parts.' }),
  })
  .meta({ id: 'SearchHit' });
export type HitView = z.infer<typeof hit>;

export const searchAnswer = z
  .object({
    items: z.array(hit),
    found: count.meta({ description: 'Pages that match, as far as they were looked at.' }),
    complete: z.boolean().meta({
      description: `False: more pages have the words than a search looks at, or the tenant has more indexed crawls than the ${mostIndexes.toLocaleString('en-US')} latest, which a search over all looks at; further words, filters or crawls by name narrow it down.`,
    }),
    crawls: count.meta({
      description: 'Indexed crawls that were looked at; 0: there is no index to look in.',
    }),
    building: z
      .array(z.string())
      .max(mostBuilding)
      .meta({
        description: `Ids of those whose index is still being made, ${String(mostBuilding)} at most: they may have further pages that match.`,
      }),
    next: nextCursor,
  })
  .meta({ id: 'SearchAnswer' });
export type SearchAnswerView = z.infer<typeof searchAnswer>;

export const searchIndexView = z
  .object({
    crawlId: z.string(),
    state: z.enum(['none', 'building', 'ready', 'dropped']).meta({
      description:
        'none: nobody has asked for an index; building: pages are still put into it, and those that are in it are found; ready: the crawl is over, and all its pages are in the index; dropped: the crawl is removed.',
    }),
    looked: count.meta({ description: 'Answered URLs that were looked at so far.' }),
    lost: count.meta({
      description: 'How many of these have a text whose stored body is gone, so that they are not found.',
    }),
    askedAt: instant.nullable(),
    indexedAt: instant.nullable().meta({ description: 'When pages were last put into the index.' }),
  })
  .meta({ id: 'SearchIndex' });
export type SearchIndexView = z.infer<typeof searchIndexView>;
