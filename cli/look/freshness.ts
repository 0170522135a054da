/** `freshness`: how fresh a crawl is that keeps its pages fresh, and what a goal can reach. */
import {
  freshnessPreview,
  freshnessView,
  type FreshnessPreview,
  type FreshnessView,
} from '../../contracts/http/freshness.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { anyApi, withApi } from '../api/target.ts';
import { oneCrawl } from '../arguments.ts';
import { readKeepFresh } from '../crawl/json-option.ts';
import { moment, table, writeOne } from '../output/table.ts';
import { does } from '../verb.ts';

export const verbs = [
  does({
    words: 'freshness',
    takes: {
      ...oneCrawl,
      '--preview <json>': 'say what this goal can reach, written as for --keep-fresh; change nothing',
      '--json': 'as JSON',
    },
    examples: ['3', '3 --preview \'{"requestsPerDay": 2000, "share": 90}\''],
    run: async ({ id, preview, json, ...given }) => {
      const path = `/v1/crawls/${id}/freshness`;
      if (preview === undefined) {
        const view = await withApi(given, (api) => api.get(path, freshnessView));
        writeOne(view, json, () => freshnessLines(view));
        return;
      }
      const api = await anyApi(given);
      const body = await readKeepFresh(preview);
      const told = await api.change('POST', `${path}/preview`, freshnessPreview, { body });
      writeOne(told, json, () => previewLines(told));
    },
  }),
];

const percent = (share: number | null): string => (share === null ? '–' : `${share.toFixed(1)} %`);

/** How far a plan is to be believed. */
const ratesWords = (known: number): string =>
  known === 0
    ? 'a guess: of no page it is known yet how often it changes'
    : `by the rates of change of ${counted(known, 'page')}, which are known`;

export function freshnessLines({
  crawlId,
  keepFresh,
  plan,
  pages,
  overdue,
  nextDue,
  samples,
}: FreshnessView): string[] {
  if (keepFresh === null) return [`Crawl ${crawlId} fetches each URL once; --keep-fresh changes that.`];
  const { requestsPerDay, share, withinSeconds } = keepFresh;
  const goal = share === null ? 'as much as possible' : percent(share);
  const within = withinSeconds === 0 ? '' : `, outdated for at most ${grouped(withinSeconds)} s`;
  const lines = [
    `Goal: ${goal} of the importance fresh${within}, with ${counted(requestsPerDay, 'request')} a day.`,
    plan === null
      ? `There is no plan yet: ${counted(pages, 'page')} noted so far.`
      : `Plan: ${percent(plan.share)} of ${counted(pages, 'page')}, ${counted(plan.leftOut, 'page is', 'pages are')} left out (${moment(plan.madeAt)}); ${ratesWords(plan.ratesKnown)}.`,
    ...(plan !== null && share !== null && plan.share < share
      ? [
          `The goal is not reached with these requests and intervals: orbweaver freshness ${crawlId} --preview says what it takes.`,
        ]
      : []),
    `Due now and waiting for the budget: ${grouped(overdue)}; next due: ${moment(nextDue, 'none')}.`,
  ];
  if (samples.length === 0) return lines;
  const rows = samples.map(({ at, fresh, checked, pages: of, leftOut, requests }) => [
    moment(at),
    percent(fresh),
    percent(checked),
    ...[of, leftOut, requests].map(grouped),
  ]);
  return [...lines, '', ...table([['at', 'fresh', 'checked', 'pages', 'left out', 'requests'], ...rows])];
}

export function previewLines({ pages, ratesKnown, best, needed, met }: FreshnessPreview): string[] {
  if (best === null) return ['No visits are noted yet, so nobody can tell what can be reached.'];
  return [
    `Of ${counted(pages, 'page')} the rates of ${grouped(ratesKnown)} are known.`,
    `At most ${percent(best.share)} can be reached; ${counted(best.leftOut, 'page is', 'pages are')} left out.`,
    ...(needed === null
      ? []
      : [
          `The goal takes about ${counted(needed.requestsPerDay, 'request')} a day, and leaves out ${counted(needed.leftOut, 'page')}.`,
        ]),
    met ? 'The goal can be met.' : 'The goal cannot be met, and would be refused.',
  ];
}
