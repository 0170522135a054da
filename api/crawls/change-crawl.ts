/** A crawl is paused, resumed or cancelled by its workflow. */
import { closedCrawlStates, standsAs, type CrawlState } from '../../contracts/crawl.ts';
import type { CrawlStateAnswer } from '../../contracts/http/crawls.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { ControlError, type CrawlChange } from './crawl-control.ts';
import { noSuchCrawl } from './crawl-ids.ts';

/** The states in which each change is allowed. A change that has already been made is answered as a conflict, too. */
const changeable: Readonly<Record<CrawlChange, readonly CrawlState[]>> = {
  pause: ['seeding', 'running'],
  resume: ['paused'],
  cancel: ['seeding', 'running', 'paused'],
};

/** @throws HttpProblem */
export async function changeCrawl(
  { pool, control }: Dependencies,
  id: string,
  change: CrawlChange,
  reason: string | null,
): Promise<CrawlStateAnswer> {
  const crawl = (await findCrawl(pool, id)) ?? noSuchCrawl(id);
  if (!changeable[change].includes(crawl.state)) throw conflict(id, change, crawl.state);
  try {
    return { id, ...(await control.change(id, change, reason)) };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    switch (error.fault) {
      case 'refused':
        throw new HttpProblem(409, `Crawl ${id} refuses to ${change}: ${error.message}.`);
      case 'over': {
        const now = (await findCrawl(pool, id))?.state ?? crawl.state;
        if (closedCrawlStates.includes(now)) throw conflict(id, change, now);
        throw new HttpProblem(409, `Crawl ${id} has no workflow that could ${change} it.`);
      }
      case 'unavailable':
        throw new HttpProblem(
          503,
          `Crawl ${id} could not be told to ${change}: ${error.message}. It may still do so later.`,
        );
    }
  }
}

const changed: Readonly<Record<CrawlChange, string>> = {
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
};
const conflict = (id: string, change: CrawlChange, state: CrawlState): HttpProblem =>
  new HttpProblem(409, `Crawl ${id} ${standsAs(state)}: it cannot be ${changed[change]}.`);
