/** Exports as jobs, on the wire. */
import { z } from 'zod';
import { pageFilter } from './page-filter.ts';
import { pageFields } from '../page-fields.ts';
import { count, crawlPath, instant, limit, nextCursor } from './shared.ts';

/** What each format makes: a media type, and the end of the file's name. */
export const exportFiles = {
  jsonl: { type: 'application/x-ndjson', ending: 'jsonl' },
  csv: { type: 'text/csv; charset=utf-8', ending: 'csv' },
  links: { type: 'text/csv; charset=utf-8', ending: 'links.csv' },
  parquet: { type: 'application/vnd.apache.parquet', ending: 'parquet' },
  // Compressed all the same: it is the archive that is compressed, not its transfer.
  warc: { type: 'application/warc', ending: 'warc.gz' },
  'warc-zstd': { type: 'application/warc', ending: 'warc.zst' },
  wacz: { type: 'application/wacz', ending: 'wacz' },
  markdown: { type: 'application/zip', ending: 'markdown.zip' },
  corpus: { type: 'application/x-ndjson', ending: 'corpus.jsonl' },
} as const;
export type ExportFormat = keyof typeof exportFiles;
export const exportFormats = Object.keys(exportFiles) as [ExportFormat, ...ExportFormat[]];

/** Formats to which fields can be added. */
const withFields: readonly ExportFormat[] = ['jsonl', 'csv', 'parquet'];

/** Of one crawl, at the same time. */
export const mostOpenExports = 10;

const chosen = z.strictObject({
  format: z.enum(exportFormats).meta({
    description:
      '`jsonl`: one page per line, in the form of GET /v1/crawls/{crawlId}/pages. `csv`, `parquet`: a table of pages. `links`: the graph of the crawl, an edge on each line. `warc`, `warc-zstd`: answers with their bodies and requests, as WARC/1.1 records that are compressed one by one. `wacz`: the same with an index and a list of pages, for players. `markdown`: a zip with a folder for each host, and in it, in the folders of its paths, a Markdown file with the main text of each page. `corpus`: a line of JSON for each page with text that is no duplicate, by URL: its main text as Markdown, measures of its quality, rights, versions in other languages, and words of the links to it.',
  }),
  fields: z.array(z.enum(pageFields)).max(pageFields.length).optional().meta({
    description: 'Fields to add to `jsonl`, `csv` and `parquet`; `wacz` takes `text`, for its search.',
  }),
  to: z.enum(['folder', 'bucket']).optional().meta({
    description:
      'Where the whole file stays: in the folder of exports (the default), or in the bucket of the instance. It can be downloaded from either.',
  }),
  ...pageFilter.shape,
});
const fits = ({
  format,
  fields = [],
}: {
  format: ExportFormat;
  fields?: readonly string[] | undefined;
}): boolean => withFields.includes(format) || fields.every((field) => format === 'wacz' && field === 'text');

export const newExport = chosen
  .refine(fits, {
    path: ['fields'],
    message: 'fields can be added to JSON lines, CSV and Parquet, and the text to WACZ',
  })
  .meta({ id: 'NewExport' });

export const exportPath = z.strictObject({
  ...crawlPath.shape,
  exportId: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'it must be the number of an export')
    .meta({ description: 'Id of the export.', examples: ['1'] }),
});

const states = ['waiting', 'running', 'finished', 'failed', 'cancelled'] as const;

export const exportView = z
  .object({
    id: z.string(),
    crawlId: z.string(),
    format: z.enum(exportFormats),
    fields: z.array(z.enum(pageFields)),
    to: z.enum(['folder', 'bucket']),
    state: z.enum(states),
    reason: z.string().nullable().meta({ description: 'Why the export failed.' }),
    phase: z.enum(['pages', 'whole', 'bucket']).meta({
      description:
        '`pages`: pages are being read. `whole`: all were read, and the file is being made whole. `bucket`: the whole file is being uploaded, or was.',
    }),
    pages: count.meta({ description: 'Pages that were read so far; with a filter, those that fit.' }),
    ofPages: count.meta({ description: 'Pages that the crawl has.' }),
    bytes: count.meta({ description: 'Bytes written so far; of a finished export, those of its file.' }),
    file: z.string().nullable().meta({ description: 'Name of the file; null while there is none.' }),
    object: z
      .string()
      .nullable()
      .meta({ description: 'Name of the object in the bucket; null: the file is in the folder.' }),
    createdAt: instant,
    endedAt: instant.nullable(),
    expiresAt: instant.nullable().meta({ description: 'When the file is removed; null: not by itself.' }),
  })
  .meta({ id: 'Export' });
export type ExportView = z.infer<typeof exportView>;

export const exportsQuery = z.strictObject({
  cursor: z.string().max(200).optional().meta({ description: '`next` of the previous answer.' }),
  limit: limit(100, 100),
});

export const exportList = z
  .object({ items: z.array(exportView), next: nextCursor })
  .meta({ id: 'ExportList' });
