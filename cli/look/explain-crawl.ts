/** `explain` without a URL in words: why a crawl is slow, and why it is not finished. */
import type { CrawlTimeView } from '../../contracts/http/crawl-time.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { outageText } from '../../domain/outage.ts';
import { moment, table } from '../output/table.ts';
import { duration } from '../output/words.ts';

/** The answer, the time by cause, the hosts that hold the crawl up, and when it will be over. */
export function explainCrawlLines({
  summary,
  seconds,
  causes,
  hosts,
  eta,
  outages,
}: CrawlTimeView): string[] {
  const { items, unfinished } = hosts;
  const part = (title: string, rows: readonly (readonly string[])[]): string[] =>
    rows.length === 0 ? [] : ['', title, ...table(rows).map((line) => `  ${line}`)];
  return [
    // One that stops everything is in the summary.
    ...(eta?.by === 'outage' ? [] : outages.map(outageText)),
    summary,
    ...part(`Time by cause (${duration(seconds)} in all, summed over hosts)`, timeRows(causes)),
    ...part(
      items.length < unfinished
        ? `The ${grouped(items.length)} hosts of ${grouped(unfinished)} that take longest`
        : `${counted(unfinished, 'host has', 'hosts have')} URLs left`,
      items.map(({ origin, cause, secondsLeft, until, because }) => [
        origin,
        cause,
        secondsLeft === null ? (until === null ? 'never' : 'not known') : duration(secondsLeft),
        because,
      ]),
    ),
    ...(eta === null
      ? []
      : [
          '',
          eta.seconds === null || eta.at === null
            ? eta.by === 'backoff'
              ? 'When the crawl ends is not known.'
              : 'No end in sight.'
            : `About ${duration(eta.seconds)} left: over at ${moment(eta.at)}.`,
          ...eta.assumes.map((assumption) => `  - ${assumption}`),
        ]),
  ];
}

export const timeRows = (causes: CrawlTimeView['causes']): string[][] =>
  causes.map(({ cause, seconds, share, means }) => [
    `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`,
    duration(seconds),
    cause,
    means,
  ]);
