/** The stored answer of a URL, on the wire. */
import { z } from 'zod';
import { maxUrlInUrl } from './shared.ts';

export const bodyQuery = z.strictObject({
  url: z.string().min(1).max(maxUrlInUrl).meta({ description: 'Any spelling of the URL.' }),
  part: z.enum(['body', 'head', 'markdown', 'main-markdown', 'screenshot', 'pdf']).optional().meta({
    description:
      'The body (default), the head of the answer that brought it (status and fields), the page as Markdown, its main text as Markdown, or the picture (PNG) or the PDF that a browser has made of it.',
  }),
});
