/**
 * Pages as CSV (RFC 4180): comma, CR LF, quotes where they are needed. Strangers write titles, so a text that a
 * spreadsheet would take for a formula gets an apostrophe before it.
 */
import type { PageView } from '../../contracts/http/results.ts';
import { listedNames, type ListedField, type PageField } from '../../contracts/page-fields.ts';

/** The names of the columns: a page's own, then the fields that were asked for. */
export const csvHead = (fields: readonly PageField[]): string => csvRow([...listedNames, ...fields]);

/** Texts stand as they are, other fields as JSON. */
export const csvLine = (page: PageView, fields: readonly PageField[]): string =>
  csvRow([...listedNames.map((name) => page[name]), ...fields.map((field) => asText(page[field]))]);

const asText = (value: PageView[PageField] = null): string | null =>
  value === null || typeof value === 'string' ? value : JSON.stringify(value);

type Cell = PageView[ListedField];

export const csvRow = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/**
 * A near-duplicate as the URL of the other page; a page of another crawl as its id and URL; `cut` as
 * `links=1300 nofollow=3`, empty if nothing was cut.
 */
function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'object' && 'crawlId' in value) return csvCell(`${value.crawlId} ${value.url}`);
  if (typeof value === 'object' && 'url' in value) return csvCell(value.url);
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([kind, amount]) => `${kind}=${String(amount)}`)
      .join(' ');
  }
  if (typeof value !== 'string') return String(value);
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
