/** `crawl`: creates a crawl and stays with it until its end. */
import { loadConfig } from '../../config/config.ts';
import { createdCrawl } from '../../contracts/http/crawls.ts';
import { maxConcurrency } from '../../domain/pace.ts';
import { openCrawls } from '../steer/crawls.ts';
import { CommandError, type ExitCode } from '../ending.ts';
import { readRequestLike } from './likeness.ts';
import { readRequest, type CrawlOptions } from './request.ts';
import { isInterrupted, pauseOthers, runCrawl, waitingReason, type RunOptions, type Session } from './run.ts';
import { setConcurrency } from './seed-concurrency.ts';
import { sendRest } from './seeds-file.ts';

interface ConcurrencyOption {
  /** Requests in flight at the hosts of the seeds. */
  readonly concurrency?: number;
}

export type CrawlVerbOptions = CrawlOptions & RunOptions & ConcurrencyOption;

export async function crawl(urls: readonly string[], options: CrawlVerbOptions): Promise<ExitCode> {
  const config = loadConfig();
  const { like, concurrency } = options;
  if (concurrency !== undefined && concurrency > maxConcurrency)
    throw new CommandError(`--concurrency must be a whole number from 1 to ${String(maxConcurrency)}.`);
  // Everything is checked before anything is started, except what depends on the crawl that `--like` names.
  const early = like === undefined ? await readRequest(urls, options, config.allowPrivate) : null;
  return runCrawl(config, options, async (session) => {
    const request = early ?? (await readRequestLike(session.api, urls, options, config.allowPrivate));
    for (const complaint of request.complaints) session.say(complaint);
    await mentionInterrupted(session);
    if (concurrency !== undefined) session.say(await setConcurrency(session.api, concurrency, request));
    const [created] = await Promise.all([
      session.api.create('/v1/crawls', createdCrawl, JSON.parse(request.body)),
      pauseOthers(session, null),
    ]);
    if (request.rest !== null) {
      session.say(`Crawl ${created.id} has started; the rest of its seeds is being added.`);
      for (const line of await sendRest(session.api, created.id, request.rest)) session.say(line);
    }
    return created.id;
  });
}

async function mentionInterrupted({ api, own, say }: Session): Promise<void> {
  const open = await openCrawls(api);
  const left = open.find((each) => isInterrupted(each) || (own && each.state !== 'paused'));
  if (left === undefined) return;
  const what = left.reason === waitingReason ? 'waited for hosts' : 'was interrupted';
  say(`Crawl ${left.id} ${what}: ./orbweaver resume ${left.id} goes on with it.`);
}
