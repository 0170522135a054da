/** Fields of a page that are more than a value. */
import { z } from 'zod';
import { count, instant } from './shared.ts';

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

export const pageAnchor = z
  .object({
    url: z.string(),
    text: z.string().meta({ description: 'Its words, or those of an image in it.' }),
    rel: z.string().meta({ description: 'As written; empty: none.' }),
    position: z.enum(['navigation', 'main', 'aside', 'footer', 'hidden', 'other']).meta({
      description:
        'Where on the page the link stands: `main` is the main text, `hidden` what people do not see, `other` what surrounds the text.',
    }),
  })
  .meta({ id: 'PageAnchor' });
export type PageAnchor = z.infer<typeof pageAnchor>;

export const pageImage = z
  .object({ url: z.string(), alt: z.string().meta({ description: 'Empty: none.' }) })
  .meta({ id: 'PageImage' });
export type PageImage = z.infer<typeof pageImage>;
