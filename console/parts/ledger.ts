/** Where the URLs of a crawl stand, as a bar: every URL is in one of these states. */
import type { CrawlSummary } from '../../contracts/http/crawls.ts';
import { html } from './html.ts';
import { number } from './shown.ts';

const states = ['done', 'leased', 'queued', 'excluded', 'dead', 'failed'] as const;

export function ledgerBar(ledger: CrawlSummary['ledger'], isSmall = false) {
  const all = Math.max(1, ledger.discovered);
  const told = states
    .filter((state) => ledger[state] > 0)
    .map((state) => `${number(ledger[state])} ${state}`)
    .join(', ');
  let from = 0;
  return html`<div class="ledger">
    <svg
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      role="img"
      aria-label=${`${number(ledger.discovered)} URLs: ${told}`}
    >
      ${states.map((state) => {
        const width = (ledger[state] / all) * 1_000;
        const at = from;
        from += width;
        return width > 0 && html`<rect class=${`state-${state}`} x=${at} y="0" width=${width} height="10" />`;
      })}
    </svg>
    ${
      !isSmall &&
      html`<ul class="legend">
        ${states.map((state) => html`<li><span class=${`dot state-${state}`} />${number(ledger[state])} ${state}</li>`)}
      </ul>`
    }
  </div>`;
}
