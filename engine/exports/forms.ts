/** The forms of exports, by their names. */
import type { ExportFormat } from '../../contracts/http/exports.ts';
import type { ExportForm } from './form.ts';
import { corpus } from './corpus.ts';
import { csv, jsonLines, linkGraph } from './lines.ts';
import { markdown } from './markdown.ts';
import { parquet } from './parquet.ts';
import { wacz } from './wacz.ts';
import { warc } from './warc.ts';

export const exportForms: Readonly<Record<ExportFormat, ExportForm>> = {
  jsonl: jsonLines,
  csv,
  links: linkGraph,
  parquet,
  wacz,
  markdown,
  corpus,
  warc: warc('gzip'),
  'warc-zstd': warc('zstd'),
};
