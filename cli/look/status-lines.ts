/**
 * Where a crawl stands, for people: its summary, and, while it is open, what it waits for and how long it will take.
 */
import { closedCrawlStates } from '../../contracts/crawl.ts';
import type { CrawlView } from '../../contracts/http/crawls.ts';
import type { CrawlOutlookView } from '../../contracts/http/outlook.ts';
import { crawlWorkflowId, hostWorkflowId } from '../../contracts/workflows.ts';
import { line, summaryLines } from './summary.ts';
import { grouped } from '../../domain/counted.ts';
import { outageText } from '../../domain/outage.ts';
import { stagesInWords } from '../../domain/pressure.ts';
import { duration } from '../output/words.ts';

/** A stage that is emptier, and slows nobody down, is not worth a look. */
const tellsFrom = 0.5;
const isTelling = ({ used, capacity, pace }: CrawlView['stages'][number]): boolean =>
  pace < 1 || used / capacity >= tellsFrom;

/** How full each stage behind the fetchers is, and how much slower they work for it. */
function stagesLine(stages: CrawlView['stages']): string {
  const pace = Math.min(...stages.map((stage) => stage.pace));
  const slowed = pace === 1 ? '' : `; fetching at ${String(Math.floor(pace * 100))} % of its pace`;
  return `${stagesInWords(stages)}${slowed}`;
}

/** @param page gives the address of a workflow's page, by the workflow's id; null: there are no addresses to show */
export function statusLines(
  view: CrawlView,
  outlook: CrawlOutlookView,
  page: ((workflowId: string) => string) | null,
): string[] {
  const { hosts, rate } = view;
  const stages = view.stages.filter(isTelling);
  const { eta, outages, waiting, parked = [] } = outlook;
  const isOpen = !closedCrawlStates.includes(view.state);
  const held = Math.max(0, waiting.hosts - hosts.parked);
  const counts = [
    ...(hosts.working > 0 ? [`${grouped(hosts.working)} at work`] : []),
    ...(held > 0 && isOpen ? [`${grouped(held)} waiting`] : []),
    ...(hosts.parked > 0 ? [`${grouped(hosts.parked)} parked`] : []),
  ];
  const troubled = waiting.items.filter(({ why }) => why !== 'retry');
  const pages = [crawlWorkflowId(view.id), ...troubled.map(({ origin }) => hostWorkflowId(origin))];
  return [
    ...summaryLines(view, parked, isOpen ? waiting : null),
    line('hosts', `${grouped(hosts.total)}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`),
    ...(isOpen ? [line('rate', `${rate.perSecond.toFixed(1)} URLs/s lately`)] : []),
    ...(stages.length === 0 ? [] : [line('stages', stagesLine(stages))]),
    ...outages.map((outage, at) => line(at === 0 ? 'outage' : '', outageText(outage))),
    ...(eta === null
      ? []
      : [
          line(
            'left',
            eta.seconds === null
              ? eta.by === 'backoff'
                ? 'not known'
                : 'no end in sight'
              : `about ${duration(eta.seconds)}, if no further links are found`,
          ),
          ...(eta.by === 'outage' ? [] : [line('', eta.because)]),
        ]),
    ...(page === null ? [] : pages.map((id, index) => line(index === 0 ? 'Temporal Web' : '', page(id)))),
  ];
}
