/** `resume`: goes on with an interrupted crawl. */
import { loadConfig } from '../../config/config.ts';
import { closedCrawlStates, standsAs } from '../../contracts/crawl.ts';
import { crawlView, type CrawlSummary } from '../../contracts/http/crawls.ts';
import { crawlId } from '../arguments.ts';
import { openCrawls } from '../steer/crawl-list.ts';
import { does } from '../verb.ts';
import { CommandError, exitCodes } from '../ending.ts';
import { isInterrupted, pauseOthers, runCrawl, runTakes, type Session } from './run.ts';
import { turnCrawl } from './turn-crawl.ts';

export const verbs = [
  does({
    words: 'resume',
    here: true,
    takes: {
      '[id]': { about: 'id of the crawl', read: crawlId },
      '--out <file>': runTakes.out,
      '--json': runTakes.json,
      '--give-up-after <seconds>': runTakes.giveUpAfter,
      '--keep': runTakes.keep,
    },
    examples: ['', '3 --out pages.jsonl'],
    run: ({ id, ...given }) =>
      runCrawl(loadConfig(), given, async (session) => {
        const crawl = id === undefined ? await latest(session) : await named(session, id);
        const [goesOn] = await Promise.all([setGoing(session, crawl), pauseOthers(session, crawl.id)]);
        if (!goesOn) throw new CommandError(`Crawl ${crawl.id} could not be resumed.`, exitCodes.broken);
        return crawl.id;
      }),
  }),
];

async function named({ api }: Session, id: string): Promise<CrawlSummary> {
  const crawl = await api.get(`/v1/crawls/${id}`, crawlView);
  if (closedCrawlStates.includes(crawl.state)) {
    throw new CommandError(`Crawl ${id} ${standsAs(crawl.state)}: there is nothing to resume.`);
  }
  return crawl;
}

async function latest({ api, own }: Session): Promise<CrawlSummary> {
  const crawl = toResume(await openCrawls(api), own);
  if (crawl === undefined)
    throw new CommandError('There is no interrupted crawl; orbweaver status lists the crawls.');
  return crawl;
}

/**
 * In a stack that this command has started, no other command works for an open crawl. In the stack of another launcher,
 * a running crawl may have one. @param open the latest first
 */
export const toResume = (open: readonly CrawlSummary[], own: boolean): CrawlSummary | undefined =>
  open.find((each) => own || isInterrupted(each));

/** A crawl that was running when its stack died goes on by itself. */
async function setGoing({ api, signal }: Session, crawl: CrawlSummary): Promise<boolean> {
  return crawl.state !== 'paused' || turnCrawl(api, crawl.id, 'resume', null, signal);
}
