/** How the instance is: alive, polite, complete, with room left. */
import type { HostSummary } from '../../contracts/hosts.ts';
import type { Paged } from '../api/client.ts';
import { byLabel, type Figures } from '../api/figures.ts';
import { useAnswer } from '../api/loading.ts';
import { html, type Children } from '../parts/html.ts';
import { bytes, counted, number, part, span, words } from '../parts/shown.ts';
import { facts } from '../parts/table.ts';
import { base } from '../router.ts';

const troubled = ['parked', 'backoff'] as const;

/** The first few hosts in a state of trouble, with the way to all of them. */
function Troubled({ state }: { readonly state: (typeof troubled)[number] }) {
  const hosts = useAnswer<Paged<HostSummary>>(`/v1/hosts?state=${state}&limit=5`, 15_000).value;
  if (hosts === undefined || hosts.items.length === 0) return null;
  return html`<li>
    <a href=${`${base}/hosts?state=${state}`}>${words(state)}</a>:${' '}
    ${hosts.items.map(
      ({ origin }, at) => html`${at > 0 && ', '}<a href=${`${base}/hosts/${part(origin)}`}>${origin}</a>`,
    )}${hosts.next !== null && ' …'}
  </li>`;
}

const listed = (pairs: readonly (readonly [string, number])[], none: string): string =>
  pairs.length === 0
    ? none
    : pairs.map(([name, value]) => `${number(value)} ${words(name).toLowerCase()}`).join(', ');

export function Instance({ figures }: { readonly figures: Figures | null }) {
  const value = (name: string): number | null => figures?.get(`orbweaver_${name}`) ?? null;
  const shown = (name: string, show: (value: number) => string): Children => {
    const found = value(name);
    return found === null ? '–' : show(found);
  };
  const out = figures === null ? [] : byLabel(figures, 'orbweaver_outage_seconds');
  const stages = figures === null ? [] : byLabel(figures, 'orbweaver_stage_used');
  const capacity = (stage: string): number =>
    figures?.get(`orbweaver_stage_capacity{stage="${stage}"}`) ?? Infinity;
  const imbalance = value('ledger_imbalance_urls') ?? 0;
  return html`<section aria-labelledby="instance">
    <h2 id="instance">This instance</h2>
    ${out.map(
      ([dependency, seconds]) =>
        html`<p class="notice bad" role="alert">
          ${words(dependency)} has been away for ${span(seconds)}. Crawls go on by themselves when it is back.
        </p>`,
    )}
    ${imbalance !== 0 && html`<p class="notice bad" role="alert">A recount differs from the ledger by ${number(imbalance)} URLs.</p>`}
    ${
      figures !== null &&
      facts([
        ['Workers', listed(byLabel(figures, 'orbweaver_workers'), 'none is at work')],
        ['Hosts', listed(byLabel(figures, 'orbweaver_hosts'), 'none yet')],
        ['Requests too soon', shown('requests_too_soon_total', number)],
        ['Smallest gap at a host this week', shown('week_smallest_gap_seconds', span)],
        ['Complaints', shown('complaints_total', number)],
        ['Domains that opted out', shown('opt_outs', number)],
        ['Bodies to be read', shown('bodies_pending', number)],
        ['Oldest turn waits', shownOldest(figures)],
        ['Archive', shown('segment_bytes', bytes)],
        ['Database', shown('database_bytes', bytes)],
        value('disk_free_bytes') !== null && (['Left on the disk', shown('disk_free_bytes', bytes)] as const),
        value('backup_age_seconds') !== null &&
          (['Last backup', shown('backup_age_seconds', (age) => `${span(age)} ago`)] as const),
      ])
    }
    ${
      stages.length > 0 &&
      html`<ul class="plain">
        ${stages.map(
          ([stage, used]) =>
            html`<li>
              <label
                >${words(stage)}: ${amount(stage, used)} of ${amount(stage, capacity(stage))}
                <meter min="0" max=${capacity(stage)} high=${capacity(stage) * 0.8} value=${used}
              /></label>
            </li>`,
        )}
      </ul>`
    }
    <ul class="plain">
      ${troubled.map((state) => html`<${Troubled} state=${state} />`)}
    </ul>
  </section>`;
}

function shownOldest(figures: Figures): string {
  const [oldest] = byLabel(figures, 'orbweaver_oldest_turn_seconds');
  return oldest === undefined ? 'none' : span(oldest[1]);
}

/** What a stage holds; where nothing is said it is bytes. */
const units: Readonly<Record<string, (value: number) => string>> = {
  unread: (pages) => counted(Math.round(pages), 'page'),
  rows: (rows) => counted(Math.round(rows), 'row'),
  commit: (milliseconds) => span(milliseconds / 1_000),
};

const amount = (stage: string, value: number): string => (units[stage] ?? bytes)(value);
