/** The forms of exports, by their names; those whose file is lines of text, or an archive, are made here. */
import type { ExportFormat } from '../../contracts/http/exports.ts';
import { type ExportForm, whole, type Making } from './form.ts';
import { corpus } from './corpus.ts';
import { markdown } from './markdown.ts';
import { parquet } from './parquet.ts';
import { wacz } from './wacz.ts';
import { archivedKinds } from '../../domain/url-kind.ts';
import { firstRecord, membersOf, packed, robotsOf } from '../archive-export.ts';
import type { SegmentFormat } from '../../storage/archive/index.ts';
import type { PageView } from '../../contracts/http/results.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import { csvHead, csvLine, csvRow } from './csv.ts';

const linkHead = csvRow(['source', 'target', 'kind']);

/** The graph of a crawl, an edge on each line: what a page links to, and where it redirects. */
function edges({ url, links, redirectTo, duplicateOf, duplicateBy }: PageView): string {
  // The links of a page with the body of another are those of that page, and stand there.
  const own = duplicateBy !== 'body' ? (links ?? []) : [];
  return [
    ...(redirectTo === null ? [] : [csvRow([url, redirectTo, 'redirect'])]),
    ...own.map((target) => csvRow([url, target, 'link'])),
    ...(duplicateOf === null ? [] : [csvRow([url, duplicateOf, 'duplicate'])]),
  ].join('');
}

type Fields = readonly PageField[];

/** Exports that are lines of text: a page, or a link, on each. */
const lines = (
  head: (fields: Fields) => string,
  lineOf: (page: PageView, fields: Fields) => string,
): ExportForm => ({
  pages: 1_000,
  needs: [],
  async add({ draft, fields }, pages) {
    if (draft.length(whole) === 0) await draft.append(whole, head(fields));
    for (const page of pages) await draft.append(whole, lineOf(page, fields));
    return null;
  },
  async end({ draft, fields }) {
    // A crawl without pages has a file all the same.
    if (draft.length(whole) === 0) await draft.append(whole, head(fields));
  },
});

const jsonLines = lines(() => '', (page) => `${JSON.stringify(page)}\n`); // prettier-ignore
const csv = lines(csvHead, csvLine);
const linkGraph: ExportForm = { ...lines(() => linkHead, edges), needs: ['links'] };

/** The pages of a crawl as an archive (WARC/1.1): see engine/archive-export.ts. */
const warc = (format: SegmentFormat): ExportForm => {
  const begin = async ({ draft, software }: Making): Promise<void> => {
    if (draft.length(whole) === 0) await draft.append(whole, await packed(firstRecord(software), format));
  };
  return {
    pages: 200,
    needs: [],
    kinds: archivedKinds,
    async add(making, pages) {
      const { draft, pool, archive } = making;
      await begin(making);
      for await (const { packed: member } of membersOf(pool, archive, making, pages, format))
        await draft.append(whole, member);
      return null;
    },
    async end(making) {
      const { draft, pool, archive } = making;
      await begin(making);
      for await (const { packed: member } of robotsOf(pool, archive, making, format))
        await draft.append(whole, member);
    },
  };
};

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
