import type { FreshnessSample, FreshnessView } from '../../contracts/http/freshness.ts';
import { useAnswer } from '../api/loading.ts';
import { Chart } from '../parts/chart.ts';
import { crawlPath } from '../parts/crawl-frame.ts';
import { html } from '../parts/html.ts';
import { instant, number, span } from '../parts/shown.ts';
import { loaded, nothing } from '../parts/states.ts';
import { facts } from '../parts/table.ts';

const everyMs = 60_000;
/** A week, hour by hour. */
const hours = 168;

const percent = (value: number): string => `${String(Math.round(value * 10) / 10)} %`;

/** How fresh a standing crawl is, against what it was asked to be. */
export function CrawlFreshness({ crawl: id }: { readonly crawl: string }) {
  const freshness = useAnswer<FreshnessView>(`${crawlPath(id)}/freshness?limit=${String(hours)}`, everyMs);
  return html`<h2>Freshness</h2>
    ${loaded(freshness, (view) =>
      view.keepFresh === null
        ? nothing(
            'This crawl fetches each URL once. It keeps its pages fresh if keepFresh is set in its settings.',
          )
        : standing(view, view.keepFresh),
    )}`;
}

function standing(
  { plan, overdue, nextDue, pages, samples }: FreshnessView,
  goal: NonNullable<FreshnessView['keepFresh']>,
) {
  const { share, requestsPerDay, withinSeconds } = goal;
  const latest = samples[0];
  const wanted = share ?? plan?.share ?? null;
  const isMet = latest !== undefined && wanted !== null && latest.fresh >= wanted;
  return html`<p class=${wanted === null || latest === undefined || isMet ? 'notice' : 'notice bad'}>
      ${latest === undefined ? 'Nothing has been measured yet.' : `${percent(latest.fresh)} of the importance of the pages is expected to be fresh`}
      ${latest !== undefined && (wanted === null ? '.' : `; ${share === null ? 'the plan reaches' : 'the goal is'} ${percent(wanted)}.`)}
    </p>
    ${samples.length > 0 && chart(samples, wanted)}
    ${facts([
      ['Pages kept fresh', number(pages)],
      ['Requests a day at most', number(requestsPerDay)],
      [
        'A page counts as fresh',
        withinSeconds === 0 ? 'while it is as it is stored' : `for ${span(withinSeconds)} after a change`,
      ],
      ['Due and waiting', overdue >= 1_000 ? '1,000 or more' : number(overdue)],
      nextDue !== null && ['Next due', instant(nextDue)],
      latest !== undefined && ['Fetched again since the start', number(latest.requests)],
      plan !== null && [
        'Left out by the plan',
        `${number(plan.leftOut)}: they change too often for what they matter`,
      ],
      plan !== null && [
        'Rates known',
        `of ${number(plan.ratesKnown)} pages, when the plan was made ${instant(plan.madeAt)}`,
      ],
    ])}`;
}

function chart(samples: readonly FreshnessSample[], wanted: number | null) {
  const byTime = samples.toReversed();
  const seconds = byTime.map(({ at }) => Date.parse(at) / 1_000);
  return html`<${Chart}
    title="Percent, by hours"
    lines=${[
      { name: 'fresh', colour: '--state-done' },
      { name: 'fetched in time', colour: '--state-leased' },
      { name: wanted === null ? 'no goal' : 'goal', colour: '--state-dead' },
    ]}
    data=${[seconds, byTime.map(({ fresh }) => fresh), byTime.map(({ checked }) => checked), byTime.map(() => wanted)]}
    show=${percent}
  />`;
}
