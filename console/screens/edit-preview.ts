/** What an edit of a crawl would do, with the button that does it. */
import type { EditPreview } from '../../contracts/http/edits.ts';
import { Action } from '../parts/action.ts';
import { html } from '../parts/html.ts';
import { number, words } from '../parts/shown.ts';
import { Table, type Column } from '../parts/table.ts';

type Rule = EditPreview['byRule'][number];

const columns: readonly Column<Rule>[] = [
  {
    name: 'Rule',
    show: ({ reason, rule }) => html`${words(reason)} ${rule !== null && html`<code>${rule}</code>`}`,
  },
  { name: 'Excluded', show: ({ excluded }) => number(excluded), isNumber: true },
  { name: 'Queued again', show: ({ readmitted }) => number(readmitted), isNumber: true },
];

export function editPreview(preview: EditPreview, label: string, apply: () => Promise<string>) {
  const { judged, queued, excluded, readmitted, links, ends, goesOn, byRule, complete } = preview;
  return html`<div class="notice" role="status">
    <p>
      Of ${complete ? '' : 'at least '}${number(judged)} URLs looked at (${number(queued)} queued),
      ${' '}${number(excluded)} would be excluded, and ${number(readmitted)} queued again.
      ${links !== null && ` ${number(links)} links of stored pages would be added.`}
      ${goesOn && ' The crawl, which had ended at a limit, would go on.'}
    </p>
    ${ends !== null && html`<p><strong>It would end the crawl at once (${words(ends)}):</strong> everything that is queued is excluded.</p>`}
    ${byRule.length > 0 && html`<${Table} caption="What moves, by rule" columns=${columns} rows=${byRule} keyOf=${({ reason, rule }: Rule) => `${reason} ${rule ?? ''}`} />`}
    <${Action}
      label=${label}
      kind=${ends === null ? 'main' : 'danger'}
      run=${apply}
      confirm=${ends === null ? undefined : 'The crawl ends at once, and everything that is queued is excluded.'}
    />
  </div>`;
}
