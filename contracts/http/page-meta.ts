/**
 * What a page says about itself beyond title, description and canonical: one value, stored with the page as it is. A new
 * field is a line here, and a place in content/ that finds it.
 */
import { z } from 'zod';
import { pageNeeds } from '../../domain/page-need.ts';

/** The day that the page writes, `YYYY-MM-DD`, with time of day and offset to UTC if the page tells both. */
const date = z.string().regex(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d))?$/);

const dateSources = ['meta', 'schema', 'time', 'url', 'text'] as const;

/** What a page says of the rights in it. A flag is there if it is set. */
export const pageRights = z
  .object({
    licenses: z
      .array(
        z.object({
          value: z
            .string()
            .meta({ description: 'Address of the licence; its name, where the page has no address.' }),
          from: z.enum(['link', 'deed', 'schema', 'meta']).meta({
            description:
              '`link`: rel=license. `deed`: a link to a deed of Creative Commons, which may be about a part of the page. `schema`: schema.org `license`. `meta`: a `<meta>`.',
          }),
        }),
      )
      .optional(),
    noai: z.literal(true).optional(),
    noimageai: z.literal(true).optional(),
    noarchive: z.literal(true).optional(),
    nosnippet: z.literal(true).optional(),
    unavailableAfter: z.string().optional().meta({ description: 'An instant.' }),
    tdmReservation: z
      .boolean()
      .optional()
      .meta({ description: 'TDMRep: are the rights in text and data mining reserved?' }),
    tdmPolicy: z.string().optional().meta({ description: 'TDMRep: address of the policy.' }),
  })
  .meta({ id: 'PageRights' });
export type PageRights = z.infer<typeof pageRights>;

export const pageMeta = z
  .object({
    version: z.int().meta({ description: 'Of the extractor that read the page.' }),
    headline: z.string().optional().meta({
      description: 'What the page calls itself, without the name of its site.',
    }),
    published: date.optional(),
    publishedFrom: z.enum(dateSources).optional().meta({
      description:
        'Where the date was found, best evidence first: `meta` elements, schema.org data, `<time>`, the URL, the text.',
    }),
    modified: date.optional(),
    authors: z.array(z.string()).optional(),
    declaredLanguage: z
      .string()
      .optional()
      .meta({ description: 'The `lang` attribute of the page, as written.' }),
    mainWords: z.int().optional().meta({
      description: 'Words of the main text, without what surrounds it; absent: as many as `words`.',
    }),
    fromState: z.literal(true).optional().meta({
      description:
        'The text, or a part of it, was found in data for scripts: the markup is an empty shell, or shows a part of the article that its data tell whole.',
    }),
    needs: z.enum(pageNeeds).optional().meta({
      description:
        'Why the body has hardly any text. javascript: it is an empty shell, which scripts would fill in a browser; login: it is a login form.',
    }),
    headings: z
      .array(z.object({ level: z.int().min(1).max(6), text: z.string() }))
      .optional()
      .meta({
        description: 'In document order: each belongs to the nearest one before it of a lower level.',
      }),
    openGraph: z
      .record(z.string(), z.union([z.string(), z.array(z.string())]))
      .optional()
      .meta({ description: '`og:`, `article:`, `book:`, `profile:`, `product:` and `twitter:` properties.' }),
    schema: z.array(z.record(z.string(), z.unknown())).optional().meta({
      description:
        'Items of schema.org, from JSON-LD, microdata and RDFa, all written as JSON-LD is; long texts are shortened.',
    }),
    schemaCut: z.record(z.string(), z.int()).optional().meta({
      description:
        'Values of `schema` that were left out or shortened, by where they stood, such as `Product.review`; at most twenty places.',
    }),
    product: z
      .object({
        name: z.string().optional(),
        brand: z.string().optional(),
        sku: z.string().optional(),
        gtin: z.string().optional().meta({ description: 'Its EAN, UPC or ISBN.' }),
        mpn: z.string().optional(),
        price: z.number().optional().meta({ description: 'The least one, where there are several.' }),
        highPrice: z.number().optional(),
        currency: z.string().optional(),
        availability: z.string().optional().meta({ description: 'As schema.org names it: `InStock`.' }),
        condition: z.string().optional(),
        rating: z.number().optional().meta({ description: 'The mean.' }),
        ratings: z.number().optional().meta({ description: 'How many there are.' }),
      })
      .optional()
      .meta({
        description:
          'What the page sells, from its schema.org items or Open Graph. Numbers are read as the language of the page writes them.',
      }),
    article: z
      .object({
        type: z.string().optional().meta({ description: 'Of schema.org: `NewsArticle`.' }),
        headline: z.string().optional(),
        publisher: z.string().optional(),
        sections: z.array(z.string()).optional(),
        free: z.boolean().optional().meta({ description: '`isAccessibleForFree`.' }),
      })
      .optional()
      .meta({
        description:
          'The article that the page is, from its schema.org items or Open Graph; its dates and authors stand beside it.',
      }),
    rights: pageRights.optional().meta({
      description:
        'What `<meta name="robots">`, X-Robots-Tag, TDMRep and statements of a licence say. Absent: nothing.',
    }),
    feeds: z.array(z.object({ url: z.string(), type: z.string(), title: z.string().optional() })).optional(),
  })
  .meta({ id: 'PageMeta' });
export type PageMeta = z.infer<typeof pageMeta>;
