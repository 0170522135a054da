/**
 * A crawl of one page, for verbs that are about a page that nothing has stored yet: as polite as any, in the stack that
 * runs, or else in one that runs only for the verb. It is deleted after a day.
 */
import { loadConfig } from '../../config/config.ts';
import { createdCrawl } from '../../contracts/http/crawls.ts';
import { pageView } from '../../contracts/http/results.ts';
import type { Api } from '../api/api.ts';
import { createOutlast } from '../api/outages.ts';
import { stackApi, withApi, type ApiOptions } from '../api/target.ts';
import { CommandError, exitCodes } from '../ending.ts';
import { sayPlainly } from '../output/lines.ts';
import { takeStack } from '../stack/stack.ts';
import { createPatience, follow } from './follow.ts';
import { listenForInterrupts } from './interrupts.ts';
import { createProgress } from './progress.ts';
import { readRequest, type CrawlOptions } from './request.ts';
import { pauseOthers } from './run.ts';

/** Days after which the crawl is deleted. */
const retentionDays = 1;

/** What was stored: the crawl, and the page's URL, to which the given one may have led. */
export interface StoredPage {
  readonly api: Api;
  readonly crawlId: string;
  readonly url: string;
}

export interface OnePage {
  readonly url: string;
  /** Names the crawl. */
  readonly label: string;
  readonly settings: Readonly<Record<string, unknown>> & { readonly maxSeconds: number };
  readonly options: ApiOptions & Pick<CrawlOptions, 'allowPrivate'>;
}

/** @param work is given the stored page @throws CommandError with the reason if the page could not be had */
export async function withOnePage<T>(
  { url, label, settings, options }: OnePage,
  work: (page: StoredPage) => Promise<T>,
): Promise<T> {
  const config = loadConfig();
  const { body } = await readRequest([url], { allowPrivate: options.allowPrivate }, config.allowPrivate, {
    maxPages: 1,
    maxDepth: 0,
    sitemap: 'skip',
    fresh: true,
    retentionDays,
    ...settings,
  });
  const request = { ...(JSON.parse(body) as object), label };
  const interrupts = listenForInterrupts();
  const signal = interrupts.first;
  try {
    if ((options.server ?? config.server ?? null) !== null)
      return await withApi(options, async (api) => work(await stored(api, request, signal)));
    const stack = await takeStack(config, false, sayPlainly, signal);
    try {
      const api = stackApi(stack.info, interrupts.second);
      // Crawls of earlier commands must not go on by themselves.
      await pauseOthers({ api, own: stack.own, say: sayPlainly, signal }, null);
      return await Promise.race([stored(api, request, signal).then(work), stack.lost]);
    } finally {
      await stack.leave();
    }
  } finally {
    interrupts.release();
  }
}

async function stored(api: Api, request: object, signal: AbortSignal): Promise<StoredPage> {
  const { id: crawlId } = await api.create('/v1/crawls', createdCrawl, request);
  const progress = createProgress(process.stderr, false);
  const watched = follow(api, crawlId, progress, createOutlast(progress.say), signal, createPatience(null));
  const view = await watched.ended.finally(() => progress.clear());
  if (view === null)
    throw new CommandError(`Interrupted: crawl ${crawlId} was fetching the page.`, exitCodes.interrupted);
  let answer = '';
  for await (const { url, status, contentHash } of api.list(`/v1/crawls/${crawlId}/pages`, pageView)) {
    if (contentHash !== null && status !== null && status < 300) return { api, crawlId, url };
    answer = `status ${String(status)}`;
  }
  const { reason, excluded, deadLetters } = view;
  const why = [answer, ...Object.keys(excluded), ...Object.keys(deadLetters)].filter((each) => each !== '');
  throw new CommandError(
    `The page could not be had: ${why.length > 0 ? why.join(', ') : (reason ?? view.state)}. ./orbweaver explain ${crawlId} URL says more.`,
    exitCodes.failed,
  );
}
