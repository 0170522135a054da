/** The export of a crawl's pages on the wire. */
import { z } from 'zod';
import { pageFilter } from './page-filter.ts';
import { pagesQuery } from './results.ts';

export const exportQuery = z
  .strictObject({
    format: z.enum(['jsonl', 'csv']).optional().meta({
      description:
        '`jsonl` (the default): a page a line, each as `pages` answers it. `csv`: a line of heads, then a page a line.',
    }),
    fields: pagesQuery.shape.fields,
    ...pageFilter.shape,
  })
  .refine(({ format, fields }) => format !== 'csv' || fields === undefined, {
    path: ['fields'],
    message: 'links and text are for JSON lines only',
  });
