/**
 * `export`: all pages of a crawl in one stream, to standard output or to a file that gets its name only once it is
 * whole.
 */
import { once } from 'node:events';
import type { PageField } from '../../contracts/page-fields.ts';
import { withApi, type ApiOptions } from '../api/target.ts';
import type { Api } from '../api/api.ts';
import type { Query } from '../api/request.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { openOutFile } from '../output/out-file.ts';
import { readPageFilter, type PageFilterOptions } from './page-filter.ts';
import { sayPlainly } from '../output/say.ts';
import { grouped } from '../../domain/counted.ts';

interface ExportOptions extends ApiOptions, PageFilterOptions {
  readonly format: keyof typeof types;
  readonly fields?: readonly PageField[];
  readonly out?: string;
}

const types = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
  warc: 'application/warc',
  'warc-zstd': 'application/warc',
} as const;

/** Whether a format is written as the pages are read. */
export const isStreamed = (format: string): format is keyof typeof types => format in types;

/**
 * If the stream breaks off, what was written stays on standard output; the exit code says that it is not everything.
 */
export async function exportPages(id: string, options: ExportOptions): Promise<ExitCode> {
  const { query } = readPageFilter(options);
  return withApi(options, (api) => write(api, id, options, query));
}

async function write(
  api: Api,
  id: string,
  { format, fields, out }: ExportOptions,
  filter: Query,
): Promise<ExitCode> {
  const file = out === undefined ? null : await openOutFile(out);
  try {
    const { chunks } = await api.take(`/v1/crawls/${id}/export`, types[format], {
      query: { format, fields: fields?.join(','), ...filter },
    });
    if (file === null) await toStandardOutput(chunks);
    else sayPlainly(`${grouped(await file.copy(chunks))} bytes were written to ${file.name}.`);
  } finally {
    await file?.discard();
  }
  return exitCodes.ok;
}

export async function toStandardOutput(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
  }
}
