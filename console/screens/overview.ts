import type { CrawlSummary } from '../../contracts/http/crawls.ts';
import { useList } from '../api/loading.ts';
import { html } from '../parts/html.ts';
import { ledgerBar } from '../parts/ledger.ts';
import { instant, number, span, words } from '../parts/shown.ts';
import { listed } from '../parts/states.ts';
import { Table, type Column } from '../parts/table.ts';
import { base } from '../router.ts';

const columns: readonly Column<CrawlSummary>[] = [
  {
    name: 'Crawl',
    show: ({ id, label }) =>
      html`<a href=${`${base}/crawls/${id}`}>${id}${label === null ? '' : ` · ${label}`}</a>`,
    by: ({ id }) => Number(id),
  },
  {
    name: 'State',
    show: ({ state, reason }) => html`<span class=${`badge ${state}`} title=${reason}>${words(state)}</span>`,
    by: ({ state }) => state,
  },
  { name: 'URLs', show: ({ ledger }) => ledgerBar(ledger, true) },
  { name: 'Pages', show: ({ pages }) => number(pages), by: ({ pages }) => pages, isNumber: true },
  {
    name: 'Failed',
    show: ({ ledger }) => number(ledger.failed + ledger.dead),
    by: ({ ledger }) => ledger.failed + ledger.dead,
    isNumber: true,
  },
  { name: 'Began', show: ({ createdAt }) => instant(createdAt), by: ({ createdAt }) => createdAt },
  {
    name: 'Took',
    show: ({ seconds }) => (seconds === null ? '–' : span(seconds)),
    by: ({ seconds }) => seconds ?? 0,
    isNumber: true,
  },
];

export function Overview() {
  const crawls = useList<CrawlSummary>('/v1/crawls?limit=50');
  return html`<h1 tabindex="-1">Overview</h1>
    <section aria-labelledby="crawls">
      <h2 id="crawls">Crawls</h2>
      ${listed(crawls, 'There is no crawl yet.', (rows) => html`<${Table} caption="Crawls, newest first" columns=${columns} rows=${rows} keyOf=${({ id }: CrawlSummary) => id} />`)}
    </section>`;
}
