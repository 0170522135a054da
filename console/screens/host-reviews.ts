import type { HostQuality } from '../../contracts/http/host-quality.ts';
import { useList } from '../api/loading.ts';
import { html } from '../parts/html.ts';
import { instant, number, part, words } from '../parts/shown.ts';
import { listed } from '../parts/states.ts';
import { Table, type Column } from '../parts/table.ts';
import { base } from '../router.ts';

const percent = (share: number): string => `${String(Math.round(share * 100))} %`;

const columns: readonly Column<HostQuality>[] = [
  {
    name: 'Host',
    show: ({ origin }) => html`<a href=${`${base}/hosts/${part(origin)}`}>${origin}</a>`,
    by: ({ origin }) => origin,
  },
  {
    name: 'Quality',
    show: ({ quality, pinned }) => `${percent(quality)}${pinned ? ', pinned' : ''}`,
    by: ({ quality }) => quality,
    isNumber: true,
  },
  { name: 'Left for later', show: ({ leftForLater }) => (leftForLater ? 'yes' : 'no') },
  {
    name: 'Requests a day',
    show: ({ requestsPerDay }) => (requestsPerDay === null ? 'as any host' : number(requestsPerDay)),
    isNumber: true,
  },
  {
    name: 'Why',
    show: ({ parts }) =>
      Object.entries(parts)
        .map(([name, share]) => `${words(name)} ${percent(share)}`)
        .join(', '),
  },
  { name: 'Looked at', show: ({ lookedAt }) => (lookedAt === null ? 'never' : instant(lookedAt)) },
];

export function HostReviews() {
  const hosts = useList<HostQuality>('/v1/host-reviews?limit=50');
  return html`<h1 tabindex="-1">Hosts of poor quality</h1>
    <p>
      Fewer requests are sent to these hosts each day. A host that deserves better is pinned on its own
      page.${' '}
      <a href=${`${base}/hosts`}>All hosts</a>
    </p>
    ${listed(hosts, 'No host is of poor quality, and none is left for later.', (rows) => html`<${Table} caption="Hosts of poor quality, the worst first" columns=${columns} rows=${rows} keyOf=${({ origin }: HostQuality) => origin} />`)}`;
}
