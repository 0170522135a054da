import type { CrawlSummary, CrawlView } from '../../contracts/http/crawls.ts';
import type { CrawlOutlookView } from '../../contracts/http/outlook.ts';
import { session } from '../api/client.ts';
import { useFigures } from '../api/figures.ts';
import { useAnswer, useList } from '../api/loading.ts';
import { html } from '../parts/html.ts';
import { ledgerBar } from '../parts/ledger.ts';
import { instant, number, span, words } from '../parts/shown.ts';
import { listed } from '../parts/states.ts';
import { Table, type Column } from '../parts/table.ts';
import { base } from '../router.ts';
import { Instance } from './instance.ts';

const rowMs = 10_000;

/** What the list does not say of an open crawl: how fast it goes, and when it will be over. */
function Pace({ id }: { readonly id: string }) {
  const crawl = useAnswer<CrawlView>(`/v1/crawls/${id}`, rowMs).value;
  const eta = useAnswer<CrawlOutlookView>(`/v1/crawls/${id}/outlook?limit=1`, rowMs).value?.eta;
  if (crawl === undefined) return html`<span class="dim">…</span>`;
  const rate = `${number(Math.round(crawl.rate.perSecond * 10) / 10)}/s`;
  if (eta === null || eta === undefined) return rate;
  return html`<span title=${eta.because}
    >${rate}, ${eta.seconds === null ? 'no end in sight' : `${span(eta.seconds)} left`}</span
  >`;
}

/** Rows that ask for more than the list has. */
const mostOpen = 10;

const columnsFor = (open: ReadonlySet<string>): readonly Column<CrawlSummary>[] => [
  {
    name: 'Crawl',
    show: ({ id, label }) =>
      html`<a href=${`${base}/crawls/${id}`}>${id}${label === null ? '' : ` · ${label}`}</a>`,
    by: ({ id }) => Number(id),
  },
  {
    name: 'State',
    show: ({ state, reason }) =>
      html`<span class=${`badge ${state}`}>${words(state)}</span>
        ${reason !== null && html`<span class="dim">${reason}</span>`}`,
    by: ({ state }) => state,
  },
  { name: 'URLs', show: ({ ledger }) => ledgerBar(ledger, true), by: ({ ledger }) => ledger.discovered },
  { name: 'Pages', show: ({ pages }) => number(pages), by: ({ pages }) => pages, isNumber: true },
  {
    name: 'Given up',
    show: ({ id, ledger: { dead, failed } }) =>
      dead + failed === 0
        ? '0'
        : html`<a href=${`${base}/crawls/${id}/dead-letters`}>${number(dead + failed)}</a>`,
    by: ({ ledger: { dead, failed } }) => dead + failed,
    isNumber: true,
  },
  { name: 'Pace', show: ({ id }) => (open.has(id) ? html`<${Pace} id=${id} />` : '–') },
  {
    name: 'Made',
    show: ({ createdAt }) => instant(createdAt),
    by: ({ createdAt }) => createdAt,
    isShort: true,
  },
  {
    name: 'Took',
    show: ({ seconds }) => (seconds === null ? '–' : span(seconds)),
    by: ({ seconds }) => seconds ?? 0,
    isNumber: true,
  },
];

export function Overview() {
  const crawls = useList<CrawlSummary>('/v1/crawls?limit=50', rowMs);
  const figures = useFigures();
  return html`<h1 tabindex="-1">Overview</h1>
    ${session.value?.instance === true && html`<${Instance} figures=${figures} />`}
    <section aria-labelledby="crawls">
      <h2 id="crawls">Crawls</h2>
      ${listed(crawls, 'There is no crawl yet. “New crawl” starts one.', (rows) => {
        const open = rows.filter(({ state }) => ['seeding', 'running', 'draining'].includes(state));
        const columns = columnsFor(new Set(open.slice(0, mostOpen).map(({ id }) => id)));
        return html`<${Table}
          caption="Crawls, newest first"
          columns=${columns}
          rows=${rows}
          keyOf=${({ id }: CrawlSummary) => id}
        />`;
      })}
    </section>`;
}
