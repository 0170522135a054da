/** The versions of a page, of this crawl and of earlier ones, and what differs between two of them. */
import { useState } from 'preact/hooks';
import type { PageDiff, PageVersion } from '../../../contracts/http/changes.ts';
import { pathOf } from '../../api/client.ts';
import { useAnswer } from '../../api/loading.ts';
import { crawlPath } from '../../parts/crawl-frame.ts';
import { fieldsOf } from '../../parts/forms.ts';
import { html } from '../../parts/html.ts';
import { instant, number, words } from '../../parts/shown.ts';
import { loaded, nothing } from '../../parts/states.ts';
import { Table, type Column } from '../../parts/table.ts';

interface OfPage {
  readonly crawl: string;
  readonly url: string;
}

interface Pair {
  readonly from: string;
  readonly to: string;
}

const columns: readonly Column<PageVersion>[] = [
  { name: 'Version', show: ({ version }) => version },
  {
    name: 'Fetched',
    show: ({ fetchedAt }) => instant(fetchedAt),
    by: ({ fetchedAt }) => fetchedAt,
    isShort: true,
  },
  {
    name: 'Status',
    show: ({ status, gone }) => `${status === null ? '–' : String(status)}${gone ? ', gone' : ''}`,
    isNumber: true,
  },
  {
    name: 'What changed',
    show: ({ change }) =>
      change === null ? '–' : html`${change.fields.join(', ')}${change.minor ? ' (minor)' : ''}`,
  },
  {
    name: 'Words',
    show: ({ change }) => {
      const { wordsAdded: more = null, wordsRemoved: fewer = null } = change ?? {};
      return more === null || fewer === null ? '–' : `+${number(more)} −${number(fewer)}`;
    },
  },
  { name: 'Stored', show: ({ stored }) => (stored ? 'yes' : 'no') },
];

export function Versions({ crawl, url }: OfPage) {
  const list = useAnswer<{ readonly items: readonly PageVersion[] }>(
    pathOf(`${crawlPath(crawl)}/page-versions`, { url }),
  );
  const [pair, setPair] = useState<Pair | null>(null);
  return loaded(list, ({ items }) => {
    if (items.length === 0) return nothing('It was never fetched.');
    const compare = (event: Event): void => {
      const field = fieldsOf(event);
      setPair({ from: field('from') ?? '', to: field('to') ?? '' });
    };
    const choice = (name: keyof Pair, label: string, usual: number) =>
      html`<label
        >${label}
        <select name=${name}>
          ${items.map(({ version, fetchedAt }, at) => html`<option value=${version} selected=${at === usual}>${version}, ${instant(fetchedAt)}</option>`)}
        </select></label
      >`;
    return html`<${Table}
        caption="Versions, the latest first"
        columns=${columns}
        rows=${items}
        keyOf=${({ version }: PageVersion) => version}
      />
      ${
        items.length > 1 &&
        html`<form onSubmit=${compare}>
          <div class="row">
            ${choice('from', 'From', 1)} ${choice('to', 'To', 0)} <button>Compare</button>
          </div>
        </form>`
      }
      ${pair !== null && html`<${Differences} crawl=${crawl} url=${url} pair=${pair} />`}`;
  });
}

const valueOf = (value: unknown): string => {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > 1_000 ? `${text.slice(0, 1_000)} …` : text;
};

function Differences({ crawl, url, pair: { from, to } }: OfPage & { readonly pair: Pair }) {
  const diff = useAnswer<PageDiff>(pathOf(`${crawlPath(crawl)}/diff`, { url, from, to }));
  return loaded(diff, ({ fields, text, change }) => {
    if (change === null && fields.length === 0) return nothing('Nothing differs that a reader sees.');
    return html`${
      fields.length > 0 &&
      html`<${Table}
        caption="Metadata that differs"
        columns=${[
          { name: 'Field', show: ({ field }: Field) => words(field) },
          { name: 'Before', show: ({ before }: Field) => html`<bdi>${valueOf(before)}</bdi>` },
          { name: 'After', show: ({ after }: Field) => html`<bdi>${valueOf(after)}</bdi>` },
        ]}
        rows=${fields}
        keyOf=${({ field }: Field) => field}
      />`
    }
    ${
      text === null
        ? nothing('One of the versions has no text that can be read.')
        : html`<pre class="diff"><bdi>${text.parts.map(difference)}</bdi></pre>
            ${!text.exact && html`<p class="dim">The comparison was cut short: it shows more changes than there are.</p>`}
            ${text.leftOut > 0 && html`<p class="dim">${number(text.leftOut)} characters at the ends were not compared.</p>`}`
    }`;
  });
}

type Field = PageDiff['fields'][number];

function difference({ kind, text, lines }: NonNullable<PageDiff['text']>['parts'][number]) {
  if (kind === 'added') return html`<ins>${text}</ins>`;
  if (kind === 'removed') return html`<del>${text}</del>`;
  if (kind === 'skipped') return html`<span class="dim"> … ${number(lines)} unchanged lines … </span>`;
  return html`<span>${text}</span>`;
}
