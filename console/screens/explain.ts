/** Every decision about a URL of a crawl, in order. */
import type { Explanation } from '../../contracts/http/explain.ts';
import { pathOf } from '../api/client.ts';
import { useAnswer } from '../api/loading.ts';
import { AskUrl } from '../parts/ask-url.ts';
import { crawlPath } from '../parts/crawl-frame.ts';
import { urlScreen } from '../parts/crawl-url.ts';
import { html, outward } from '../parts/html.ts';
import { instant, number, span, words } from '../parts/shown.ts';
import { loaded } from '../parts/states.ts';
import { facts, Table } from '../parts/table.ts';
import { query } from '../router.ts';

export function Explain({ crawl }: { readonly crawl: string }) {
  const url = query.value.get('url') ?? '';
  return html`<h2>Explain a URL</h2>
    <p class="dim">
      Why it was fetched, was left out or waits, or what would become of it. The crawl need not have met it.
    </p>
    <${AskUrl} key=${url} crawl=${crawl} url=${url} />
    ${url !== '' && html`<${Told} key=${`told ${url}`} crawl=${crawl} url=${url} />`}`;
}

const marks = { pass: '✓', stop: '✕', wait: '…', note: '·' } as const;
type Decision = Explanation['decisions'][number];
type Attempt = Explanation['attempts'][number];

function Told({ crawl, url }: { readonly crawl: string; readonly url: string }) {
  const explained = useAnswer<Explanation>(pathOf(`${crawlPath(crawl)}/explain`, { url }));
  return loaded(explained, (answer) => {
    const { summary, decisions, record, attempts, next, robots } = answer;
    return html`<p class="notice"><bdi>${summary}</bdi></p>
      <p class="buttons">
        ${outward(answer.url)}
        ${(record?.fetchedAt ?? null) !== null && html`<a href=${urlScreen(crawl, 'page', answer.url)}>Its page</a>`}
        <button type="button" onClick=${explained.again}>Look again</button>
      </p>
      ${
        next !== null &&
        html`<p>
          ${next.at === null ? 'When its next request leaves cannot be told.' : `Its next request leaves ${instant(next.at)} at the earliest.`}
          ${` ${next.because.join(' ')}`}
        </p>`
      }
      <ol class="timeline" aria-label="Decisions, in order">
        ${decisions.map((decision) => html`<li class=${decision.effect}>${shown(decision)}</li>`)}
      </ol>
      ${
        attempts.length > 0 &&
        html`<h3>Requests that came to nothing</h3>
          <${Table}
            caption="Requests without a final outcome, oldest first"
            columns=${[
              { name: 'At', show: ({ at }: Attempt) => instant(at), isShort: true },
              { name: 'Class', show: ({ class: kind }: Attempt) => words(kind) },
              { name: 'Status', show: ({ status }: Attempt) => status ?? '–', isNumber: true },
              { name: 'Message', show: ({ message }: Attempt) => html`<bdi>${message}</bdi>` },
            ]}
            rows=${attempts}
            keyOf=${({ at }: Attempt) => at}
          />`
      }
      <h3>What is known</h3>
      ${facts([
        ['Canonical form', html`<bdi>${answer.canonical}</bdi>`],
        ['Host', html`<bdi>${answer.host}</bdi>`],
        ['Links from a seed', number(answer.scope.depth)],
        record !== null && [
          'State',
          html`<span class=${`badge ${record.state}`}>${words(record.state)}</span>`,
        ],
        record !== null && ['Discovered', instant(record.discoveredAt)],
        record !== null && [
          'Found on',
          record.discoveredFrom === null
            ? 'no page'
            : html`<a href=${urlScreen(crawl, 'explain', record.discoveredFrom)}
                ><bdi>${record.discoveredFrom}</bdi></a
              >`,
        ],
        record !== null && ['Priority', String(record.priority)],
        record !== null && ['Requests answered', number(record.requests)],
        record !== null && ['Leases lost to a crash', number(record.reclaims)],
        robots !== null && [
          'robots.txt',
          `${robots.status === null ? 'not read yet' : `status ${String(robots.status)}`}${robots.ageMs === null ? '' : `, ${span(robots.ageMs / 1_000)} old`}`,
        ],
        robots !== null &&
          robots.rule !== null && [
            `Its rule${robots.line === null ? '' : `, line ${String(robots.line)}`}`,
            html`<code>${robots.rule}</code>`,
          ],
      ])}`;
  });
}

const shown = ({ step, verdict, effect, because, detail }: Decision) => {
  const values = Object.entries(detail).filter(([, value]) => value !== null);
  return html`<span class="mark" aria-hidden="true">${marks[effect]}</span>
    <div>
      <strong>${words(step)}</strong> <span class="dim">${words(verdict)} (${effect})</span>
      <p><bdi>${because}</bdi></p>
      ${
        values.length > 0 &&
        html`<details>
          <summary>Values</summary>
          ${facts(values.map(([name, value]) => [name, html`<bdi>${String(value)}</bdi>`] as const))}
        </details>`
      }
    </div>`;
};
