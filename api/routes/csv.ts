/**
 * Pages as CSV (RFC 4180): comma, CR LF, quotes where they are needed. Strangers write titles, so a text that a
 * spreadsheet would take for a formula gets an apostrophe before it.
 */
import type { PageView } from '../../contracts/http/results.ts';

const columns = [
  'url',
  'state',
  'status',
  'reason',
  'title',
  'description',
  'language',
  'words',
  'linkCount',
  'contentType',
  'bytes',
  'depth',
  'fetchedAt',
  'duplicateOf',
  'redirectTo',
  'canonical',
  'noindex',
  'contentHash',
  'cut',
] as const satisfies readonly (keyof PageView)[];

export const csvHead = `${columns.join(',')}\r\n`;

export const csvLine = (page: PageView): string =>
  `${columns.map((column) => csvCell(page[column])).join(',')}\r\n`;

/** `cut` as `links=1300 nofollow=3`; empty if nothing was cut. */
function csvCell(value: string | number | boolean | PageView['cut'] | null): string {
  if (value === null) return '';
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([kind, amount]) => `${kind}=${String(amount)}`)
      .join(' ');
  }
  if (typeof value !== 'string') return String(value);
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
