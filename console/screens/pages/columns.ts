/** What a table of pages can show. The reader chooses; the choice is in the address. */
import type { PageView } from '../../../contracts/http/results.ts';
import { crawlUrl } from '../../parts/crawl-url.ts';
import { html, type Children } from '../../parts/html.ts';
import { bytes, instant, number, words } from '../../parts/shown.ts';
import type { Column } from '../../parts/table.ts';

type Show = (page: PageView, crawl: string) => Children;

interface PageColumn {
  readonly name: string;
  readonly show: Show;
  readonly by?: (page: PageView) => string | number;
  readonly isNumber?: true;
  readonly isShort?: true;
}

const count = (name: string, of: (page: PageView) => number | null): PageColumn => ({
  name,
  show: (page) => {
    const value = of(page);
    return value === null ? '–' : number(value);
  },
  by: (page) => of(page) ?? -1,
  isNumber: true,
});

const text = (name: string, of: (page: PageView) => string | null): PageColumn => ({
  name,
  show: (page) => html`<bdi>${of(page) ?? '–'}</bdi>`,
  by: (page) => of(page) ?? '',
});

const url = (name: string, of: (page: PageView) => string | null): PageColumn => ({
  name,
  show: (page, crawl) => {
    const value = of(page);
    return value === null ? '–' : crawlUrl(crawl, value);
  },
  by: (page) => of(page) ?? '',
});

const mostText = 300;
const cut = (value: string | null): string | null =>
  value !== null && value.length > mostText ? `${value.slice(0, mostText)} …` : value;

/** By the fields of a page that they show. */
const pageColumns = {
  url: url('URL', (page) => page.url),
  state: {
    name: 'State',
    show: ({ state }) => html`<span class=${`badge ${state}`}>${words(state)}</span>`,
    by: ({ state }) => state,
  },
  status: count('Status', ({ status }) => status),
  reason: text('Reason', ({ reason }) => (reason === null ? null : words(reason))),
  title: text('Title', ({ title }) => cut(title)),
  description: text('Description', ({ description }) => cut(description)),
  language: text('Language', ({ language }) => language),
  words: count('Words', (page) => page.words),
  linkCount: count('Links', ({ linkCount }) => linkCount),
  // Without its parameters.
  contentType: {
    ...text('Type', ({ contentType }) => cut(contentType?.split(';', 1)[0] ?? null)),
    isShort: true,
  },
  bytes: {
    name: 'Size',
    show: (page) => bytes(page.bytes),
    by: (page) => page.bytes,
    isNumber: true,
  },
  depth: count('Depth', ({ depth }) => depth),
  fetchedAt: {
    name: 'Fetched',
    show: ({ fetchedAt }) => instant(fetchedAt),
    by: ({ fetchedAt }) => fetchedAt,
    isShort: true,
  },
  duplicateOf: url('Duplicate of', ({ duplicateOf }) => duplicateOf),
  nearDuplicateOf: url('Nearly the same as', ({ nearDuplicateOf }) => nearDuplicateOf?.url ?? null),
  redirectTo: url('Redirects to', ({ redirectTo }) => redirectTo),
  canonical: text('Canonical', ({ canonical }) => cut(canonical)),
  noindex: text('noindex', ({ noindex }) => (noindex === null ? null : noindex ? 'yes' : 'no')),
  contentHash: text('SHA-256', ({ contentHash }) => contentHash),
} as const satisfies Partial<Record<keyof PageView, PageColumn>>;

export type ColumnName = keyof typeof pageColumns;
export const columnNames = Object.keys(pageColumns) as ColumnName[];
export const columnTitle = (name: ColumnName): string => pageColumns[name].name;

const usual: readonly ColumnName[] = [
  'url',
  'status',
  'title',
  'language',
  'contentType',
  'bytes',
  'fetchedAt',
];

/** @param query what the address says: names, comma-separated; null: nothing */
export function chosenColumns(query: string | null): readonly ColumnName[] {
  const asked = query?.split(',') ?? [];
  const chosen = columnNames.filter((name) => asked.includes(name));
  return chosen.length === 0 ? usual : chosen;
}

/** What the address says of a choice; null: it is the usual one. */
export function columnsInQuery(chosen: readonly ColumnName[]): string | null {
  const inOrder = columnNames.filter((name) => chosen.includes(name));
  return inOrder.join() === usual.join() ? null : inOrder.join();
}

export const columnsFor = (crawl: string, names: readonly ColumnName[]): Column<PageView>[] =>
  names.map((name) => {
    const column: PageColumn = pageColumns[name];
    return { ...column, show: (page: PageView) => column.show(page, crawl) };
  });
