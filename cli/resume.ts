/** `resume`: goes on with an interrupted crawl. */
import { loadConfig } from '../config/config.ts';
import { closedCrawlStates, standsAs } from '../contracts/crawl.ts';
import type { CrawlSummary } from '../contracts/http/crawls.ts';
import { defaultTenant } from '../contracts/tenancy.ts';
import { findCrawl, openCrawls } from '../storage/crawls/index.ts';
import { CommandError, exitCodes, type ExitCode } from './ending.ts';
import {
  interruptedReason,
  pauseOthers,
  runCrawl,
  waitingReason,
  type RunOptions,
  type Session,
} from './run.ts';
import { noSuchCrawl } from './stack.ts';

export async function resume(id: string | null, options: RunOptions): Promise<ExitCode> {
  return runCrawl(loadConfig(), options, async (session) => {
    const crawl = id === null ? await latest(session) : await named(session, id);
    const [goesOn] = await Promise.all([setGoing(session, crawl), pauseOthers(session, crawl.id)]);
    if (!goesOn) throw new CommandError(`Crawl ${crawl.id} could not be resumed.`, exitCodes.broken);
    return crawl.id;
  });
}

async function named({ pool }: Session, id: string): Promise<CrawlSummary> {
  const crawl = await findCrawl(pool, id);
  if (crawl === null) throw noSuchCrawl(id);
  if (closedCrawlStates.includes(crawl.state)) {
    throw new CommandError(`Crawl ${id} ${standsAs(crawl.state)}: there is nothing to resume.`);
  }
  return crawl;
}

/**
 * In a stack of our own every open crawl has lost its command; in another launcher's stack a running crawl is
 * somebody's.
 */
async function latest({ pool, own }: Session): Promise<CrawlSummary> {
  const open = await openCrawls(pool, undefined, defaultTenant);
  const ours: readonly (string | null)[] = [interruptedReason, waitingReason];
  const crawl = open.find(({ state, reason }) => own || (state === 'paused' && ours.includes(reason)));
  if (crawl === undefined)
    throw new CommandError('There is no interrupted crawl; orbweaver status lists the crawls.');
  return crawl;
}

/** A crawl that was running when its stack died goes on by itself. */
async function setGoing({ api, signal }: Session, crawl: CrawlSummary): Promise<boolean> {
  return crawl.state !== 'paused' || api.change(crawl.id, 'resume', null, signal);
}
