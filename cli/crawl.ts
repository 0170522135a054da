/** `crawl`: creates a crawl and sees it through. */
import { loadConfig } from '../config/config.ts';
import { defaultTenant } from '../contracts/tenancy.ts';
import { openCrawls } from '../storage/crawls.ts';
import { anyApi } from './api-target.ts';
import type { ExitCode } from './ending.ts';
import { readRequest, type CrawlOptions } from './request.ts';
import { interruptedReason, pauseOthers, runCrawl, type RunOptions, type Session } from './run.ts';
import { sendRest } from './seeds-file.ts';
import { sayPlainly } from './stack.ts';

export async function crawl(urls: readonly string[], options: CrawlOptions & RunOptions): Promise<ExitCode> {
  const config = loadConfig();
  const request = await readRequest(urls, options, config.allowPrivate);
  for (const complaint of request.complaints) sayPlainly(complaint);
  return runCrawl(config, options, async (session) => {
    await mentionInterrupted(session);
    const [created] = await Promise.all([session.api.create(request.body), pauseOthers(session, null)]);
    if (request.rest !== null) {
      session.say(`Crawl ${created.id} has begun; the rest of its seeds is on the way.`);
      for (const line of await sendRest(await anyApi({}), created.id, request.rest)) session.say(line);
    }
    return created.id;
  });
}

async function mentionInterrupted({ pool, own, say }: Session): Promise<void> {
  const open = await openCrawls(pool, undefined, defaultTenant);
  const left = open.find(({ state, reason }) => (state === 'paused' ? reason === interruptedReason : own));
  if (left !== undefined)
    say(`Crawl ${left.id} was interrupted: ./orbweaver resume ${left.id} goes on with it.`);
}
