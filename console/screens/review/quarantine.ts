/** Parts of sites that are kept back as traps: judged in bulk. */
import { useState } from 'preact/hooks';
import type {
  QuarantineChoice,
  QuarantineJudged,
  QuarantineView,
} from '../../../contracts/http/quarantine.ts';
import { pathOf, post } from '../../api/client.ts';
import { useList } from '../../api/loading.ts';
import { Action } from '../../parts/action.ts';
import { crawlPath } from '../../parts/crawl-frame.ts';
import { asOrigin, fieldsOf } from '../../parts/forms.ts';
import { html } from '../../parts/html.ts';
import { instant, number, words } from '../../parts/shown.ts';
import { listed } from '../../parts/states.ts';
import { Table, type Column } from '../../parts/table.ts';
import { query, setQuery } from '../../router.ts';
import { KeepBack } from './keep-back.ts';

type Verdict = QuarantineView['verdict'];
const verdicts: readonly Verdict[] = ['held', 'confirmed', 'suspected', 'cleared', 'released'];

export function Quarantine({ crawl }: { readonly crawl: string }) {
  const path = `${crawlPath(crawl)}/quarantine`;
  const [verdict, host] = [query.value.get('verdict'), query.value.get('host')];
  const shapes = useList<QuarantineView>(pathOf(path, { verdict, host, limit: 50 }));
  const [said, setSaid] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const judge = (act: 'release' | 'confirm', choice: QuarantineChoice) => async (): Promise<undefined> => {
    const { shapes: count, urls, more, left } = await post<QuarantineJudged>(`${path}/${act}`, choice);
    setChosen([]);
    setSaid(
      act === 'confirm'
        ? `Shapes confirmed: ${number(count)}.`
        : `Shapes released: ${number(count)}; URLs free: ${number(urls)}${more ? `, ${number(left)} follow by themselves` : ''}.`,
    );
    shapes.again();
  };
  const submit = (event: Event): void => {
    const field = fieldsOf(event);
    setChosen([]);
    setQuery({ verdict: field('verdict'), host: asOrigin(field('host')) });
  };
  const rows = shapes.value ?? [];
  return html`<h2>Quarantine</h2>
    <p class="dim">
      Shapes of URLs that look like traps. What has such a shape is kept back until somebody, or a sample,
      says otherwise.
    </p>
    <form onSubmit=${submit} aria-label="Which shapes">
      <div class="row">
        <label
          >Verdict
          <select name="verdict">
            <option value="">Held and confirmed</option>
            ${verdicts.map((name) => html`<option value=${name} selected=${name === verdict}>${words(name)}</option>`)}
          </select></label
        >
        <label
          >Host
          <input name="host" defaultValue=${host ?? ''} placeholder="https://example.com" maxlength="1000"
        /></label>
        <button>Show</button>
      </div>
    </form>
    <${Bulk}
      rows=${rows}
      chosen=${rows.filter(({ id }) => chosen.includes(id))}
      choose=${setChosen}
      judge=${judge}
    />
    <p role="status">${said}</p>
    ${listed(
      shapes,
      'No shape has this verdict.',
      () =>
        html`<${Table}
          caption="Shapes in quarantine, in the order in which they were found"
          columns=${columnsOf(chosen, setChosen)}
          rows=${rows}
          keyOf=${({ id }: QuarantineView) => id}
        />`,
    )}
    <${KeepBack} path=${path} done=${shapes.again} />`;
}

interface BulkProps {
  readonly rows: readonly QuarantineView[];
  readonly chosen: readonly QuarantineView[];
  readonly choose: (ids: readonly string[]) => void;
  readonly judge: (act: 'release' | 'confirm', choice: QuarantineChoice) => () => Promise<undefined>;
}

/** The rows say what a verdict would do: how many URLs each keeps back. */
function Bulk({ rows, chosen, choose, judge }: BulkProps) {
  const ids = chosen.map(({ id }) => id);
  const urls = number(chosen.reduce((sum, row) => sum + row.urls, 0));
  const examples = html`<ul>
    ${chosen.slice(0, 10).map(({ host, shape }) => html`<li><bdi>${host}${shape}</bdi></li>`)}
    ${chosen.length > 10 && html`<li>and ${number(chosen.length - 10)} more</li>`}
  </ul>`;
  const same = (of: (row: QuarantineView) => string): readonly string[] => [...new Set(rows.map(of))];
  const pick = (event: Event): void => {
    const select = event.currentTarget as HTMLSelectElement;
    const value = select.value;
    if (value !== '')
      choose(
        rows.filter((row) => value === '*' || value === row.rule || value === row.host).map(({ id }) => id),
      );
    select.value = '';
  };
  return html`<div class="row">
    <label
      >Choose
      <select onChange=${pick}>
        <option value="">…</option>
        <option value="*">all that are shown</option>
        ${same(({ rule }) => rule).map((rule) => html`<option value=${rule}>by rule: ${words(rule)}</option>`)}
        ${same(({ host }) => host).map((host) => html`<option value=${host}>at ${host}</option>`)}
      </select></label
    >
    <span role="status">${number(ids.length)} chosen</span>
    <${Action}
      label="Release"
      kind="main"
      disabled=${ids.length === 0}
      run=${judge('release', { ids })}
      confirm=${html`<p>
          No rule holds these shapes any more. About ${urls} URLs are queued again, or are pages of the crawl
          again:
        </p>
        ${examples}`}
    />
    <${Action}
      label="Confirm"
      kind="danger"
      disabled=${ids.length === 0}
      run=${judge('confirm', { ids })}
      confirm=${html`<p>
          These are traps: none of their URLs is let through any more, also not as a sample. ${urls} are kept
          back now:
        </p>
        ${examples}`}
    />
  </div>`;
}

function columnsOf(
  chosen: readonly string[],
  choose: (ids: readonly string[]) => void,
): readonly Column<QuarantineView>[] {
  const toggle = (id: string): void => {
    choose(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  };
  return [
    {
      name: 'Chosen',
      show: ({ id, host, shape }) =>
        html`<input
          type="checkbox"
          aria-label=${`Choose ${host}${shape}`.slice(0, 300)}
          checked=${chosen.includes(id)}
          onChange=${() => {
            toggle(id);
          }}
        />`,
    },
    {
      name: 'Shape',
      show: ({ host, shape, kind }) =>
        html`<bdi>${host}</bdi><br /><code>${shape}</code>${kind === 'soft-404' && ' (soft 404)'}`,
      by: ({ host, shape }) => `${host} ${shape}`,
    },
    {
      name: 'Verdict',
      show: ({ verdict, judgedBy, judgedAt }) =>
        html`<span class="badge">${words(verdict)}</span>
          ${judgedAt !== null && html`<span class="dim">by ${judgedBy ?? 'the rules'}, ${instant(judgedAt)}</span>`}`,
      by: ({ verdict }) => verdict,
    },
    {
      name: 'Why',
      show: ({ rule, why }) =>
        html`<span class="prose"><strong>${words(rule)}</strong> <bdi>${why}</bdi></span>`,
      by: ({ rule }) => rule,
    },
    { name: 'Kept back', show: ({ urls }) => number(urls), by: ({ urls }) => urls, isNumber: true },
    {
      name: 'Samples',
      show: ({ letThrough, sampled, novel }) =>
        `${number(letThrough)} let through, ${number(sampled)} read, ${number(novel)} new`,
    },
    { name: 'Since', show: ({ since }) => instant(since), by: ({ since }) => since, isShort: true },
  ];
}
