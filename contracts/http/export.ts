/** The export of a crawl's pages on the wire. */
import { z } from 'zod';
import { pageFilter } from './page-filter.ts';
import { pagesQuery } from './results.ts';

export const exportQuery = z
  .strictObject({
    format: z.enum(['jsonl', 'csv', 'warc', 'warc-zstd']).optional().meta({
      description:
        '`jsonl` (the default): one page per line, in the form of GET /v1/crawls/{crawlId}/pages. `csv`: a line with the names of the columns, then one page per line; fields that are asked for are further columns, as text or JSON. `warc`: answers with their bodies and requests, as WARC/1.1 records that are compressed by gzip one by one; `warc-zstd`: by zstd.',
    }),
    fields: pagesQuery.shape.fields,
    ...pageFilter.shape,
  })
  .refine(({ format = 'jsonl', fields }) => ['jsonl', 'csv'].includes(format) || fields === undefined, {
    path: ['fields'],
    message: 'fields can be added to JSON lines and CSV only',
  });
