/** The sitemaps of a crawl on the wire. */
import { z } from 'zod';
import { sitemapFormats, sitemapStates } from '../../domain/sitemap-choice.ts';
import { sitemapFaultKinds } from '../../domain/sitemap-faults.ts';
import { commaSeparated, count, instant, limit, nextCursor } from './shared.ts';

export const sitemapView = z
  .object({
    url: z.string(),
    state: z.enum(sitemapStates).meta({
      description:
        'waiting: it is to be fetched or read; read: it was read without a fault; faulty: it was read as far as it goes, `faults` say what is wrong; redirect: the sitemap that it redirects to is read in its place; a sitemap with the same bytes as another one stands as that one does; failed: it was not to be had; excluded: the crawl does not read it.',
    }),
    why: z
      .string()
      .nullable()
      .meta({ description: 'Why it is excluded or failed, in words; null: it is neither.' }),
    status: z.int().nullable().meta({ description: 'HTTP status of the last answer; null: there was none.' }),
    namedBy: z
      .string()
      .nullable()
      .meta({ description: 'The sitemap that names it; null: robots.txt names it, or it is a seed.' }),
    seed: z.boolean(),
    fetchedAt: instant.nullable(),
    format: z
      .enum(sitemapFormats)
      .nullable()
      .meta({ description: 'unknown: neither a sitemap nor a feed; null: it was not read.' }),
    pages: count.nullable().meta({
      description: 'Pages that it names with a URL that can be crawled; null: it was not read.',
    }),
    sitemaps: count.nullable().meta({ description: 'Sitemaps that it names; null: it was not read.' }),
    newUrls: count.nullable().meta({ description: 'How many of all these were new to the crawl.' }),
    faults: z
      .array(
        z.object({
          line: z.int().min(1).meta({ description: 'Line of the unpacked file.' }),
          kind: z.enum(sitemapFaultKinds),
          what: z.string().meta({ description: 'The fault in words, with what stands there.' }),
        }),
      )
      .meta({ description: 'Up to twenty faults, by line.' }),
    faultCount: count.meta({ description: 'Number of all faults.' }),
  })
  .meta({ id: 'Sitemap' });
export type SitemapView = z.infer<typeof sitemapView>;

export const defaultSitemapLimit = 100;

export const sitemapsQuery = z.strictObject({
  cursor: z.string().max(100).optional().meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultSitemapLimit),
  state: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(sitemapStates)).min(1))
    .optional()
    .meta({
      description: 'Only sitemaps in these states, comma-separated; absent: all.',
      pattern: commaSeparated(sitemapStates),
      examples: ['faulty,failed'],
    }),
});

export const sitemapList = z
  .object({ items: z.array(sitemapView), next: nextCursor })
  .meta({ id: 'SitemapList' });
