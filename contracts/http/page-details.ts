/** What is read from a page's body when somebody looks at the page. */
import { z } from 'zod';

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
