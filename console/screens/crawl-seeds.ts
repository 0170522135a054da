import { useState } from 'preact/hooks';
import type { AddedSeeds, SeedView } from '../../contracts/http/seeds.ts';
import { pathOf, post } from '../api/client.ts';
import { useList } from '../api/loading.ts';
import { choice, Form, typed } from '../parts/form.ts';
import { html, outward } from '../parts/html.ts';
import { number, words } from '../parts/shown.ts';
import { listed } from '../parts/states.ts';
import { Table, type Column } from '../parts/table.ts';

const columns: readonly Column<SeedView>[] = [
  { name: 'Line', show: ({ line }) => number(line), isNumber: true },
  { name: 'Seed', show: ({ url, state }) => (state === 'good' ? outward(url) : html`<code>${url}</code>`) },
  {
    name: 'State',
    show: ({ state, reason }) => (reason === null ? words(state) : `Rejected: ${words(reason)}`),
  },
];

interface Props {
  /** Of the crawl in the API. */
  readonly path: string;
  readonly done: () => void;
}

export function CrawlSeeds({ path, done }: Props) {
  const [state, setState] = useState('');
  const seeds = useList<SeedView>(pathOf(`${path}/seeds`, { state, limit: 20 }));
  const add = async (given: FormData): Promise<string> => {
    const urls = (typed(given, 'urls') ?? '').split('\n').filter((line) => line.trim() !== '');
    const { accepted, rejectedCount } = await post<AddedSeeds>(`${path}/seeds`, { urls });
    done();
    seeds.again();
    return `${number(accepted)} added, ${number(rejectedCount)} rejected.`;
  };
  return html`${choice(
    'Show',
    'state',
    [
      ['', 'all'],
      ['good', 'good'],
      ['rejected', 'rejected'],
    ],
    state,
    setState,
  )}
    ${listed(seeds, 'There is no such seed.', (rows) => html`<${Table} caption="Seeds, as they were sent" columns=${columns} rows=${rows} keyOf=${({ line }: SeedView) => String(line)} />`)}
    <${Form} label="Add seeds" run=${add}>
      <label class="field">
        More seeds, one a line
        <textarea name="urls" rows="3" required spellcheck="false" placeholder="https://example.com/news/" />
        <span class="hint">A seed that the crawl knows is fetched once more. A crawl that had run out of work goes on.</span>
      </label>
    <//>`;
}
