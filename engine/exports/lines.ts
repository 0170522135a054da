/** Exports that are lines of text: a page, or a link, on each. */
import type { PageView } from '../../contracts/http/results.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import { csvHead, csvLine, csvRow } from './csv.ts';
import { whole, type ExportForm } from './form.ts';

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

export const jsonLines = lines(() => '', (page) => `${JSON.stringify(page)}\n`); // prettier-ignore
export const csv = lines(csvHead, csvLine);
export const linkGraph: ExportForm = { ...lines(() => linkHead, edges), needs: ['links'] };
