/** Crawls over an API: listed, started without waiting for them, paused, set going again, cancelled. */
import { setTimeout as sleep } from 'node:timers/promises';
import { closedCrawlStates, standsAs, type CrawlState } from '../../contracts/crawl.ts';
import {
  crawlList,
  crawlRemoval,
  crawlStateAnswer,
  createdCrawl,
  crawlView,
  type CrawlStateAnswer,
  type CrawlSummary,
} from '../../contracts/http/crawls.ts';
import { openCrawlStates } from '../../domain/crawl-life.ts';
import { RefusedError } from '../api/request.ts';
import { anyApi, withApi, type ApiOptions } from '../api/target.ts';
import type { Api } from '../api/api.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { readRequestLike } from '../crawl/likeness.ts';
import { readRequest, type CrawlOptions } from '../crawl/request.ts';
import { sendRest } from '../crawl/seeds-file.ts';
import { writeList, writeMade, writeOne, type Shown } from '../output/table.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { duration } from '../output/words.ts';

/** Options that every verb over the API has. */
export type VerbOptions = ApiOptions & { readonly json?: boolean };

const mostPerPage = 100;
const summary = crawlList.shape.items.element;

export const shownCrawls: Shown<CrawlSummary> = {
  heads: ['crawl', 'state', 'reason', 'pages', 'queued', 'errors', 'time', 'label'],
  row: ({ id, state, reason, pages, ledger, seconds, label }) => [
    id,
    state,
    reason ?? '',
    grouped(pages),
    grouped(ledger.queued + ledger.leased),
    grouped(ledger.dead + ledger.failed),
    seconds === null ? '' : duration(seconds),
    label ?? '',
  ],
  none: 'There is no crawl yet.',
};

/** The latest crawl comes first. */
export async function listCrawls(
  options: VerbOptions & { readonly limit: number; readonly state?: string },
): Promise<ExitCode> {
  const { limit, state, json = false } = options;
  await withApi(options, (api) => writeList(latestCrawls(api, limit, state), json, shownCrawls));
  return exitCodes.ok;
}

/** @param state only crawls in these states, comma-separated */
export const latestCrawls = (api: Api, most: number, state?: string): AsyncGenerator<CrawlSummary> =>
  api.list('/v1/crawls', summary, { limit: Math.min(most, mostPerPage), state }, { most });

/** Crawls that are not over, newest first: all, or those in the states given. */
export async function openCrawls(
  api: Api,
  states: readonly CrawlState[] = openCrawlStates,
): Promise<readonly CrawlSummary[]> {
  const crawls: CrawlSummary[] = [];
  for await (const crawl of latestCrawls(api, 1_000, states.join(','))) crawls.push(crawl);
  return crawls;
}

/** The settings of the server decide whether private addresses may be reached. */
const judgedThere = ['0.0.0.0/0', '::/0'];

export type StartOptions = CrawlOptions & VerbOptions & { readonly label?: string; readonly id?: boolean };

export async function startCrawl(urls: readonly string[], options: StartOptions): Promise<ExitCode> {
  const { label, like } = options;
  const early = like === undefined ? await readRequest(urls, options, judgedThere) : null;
  const api = await anyApi(options);
  const { body, complaints, rest } = early ?? (await readRequestLike(api, urls, options, judgedThere));
  for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
  const wish = { ...(JSON.parse(body) as object), ...(label !== undefined && { label }) };
  const created = await api.create('/v1/crawls', createdCrawl, wish);
  const told = rest === null ? [] : await sendRest(api, created.id, rest);
  for (const line of told) process.stderr.write(`${line}\n`);
  writeMade(created, options, () => [
    `Crawl ${created.id} is started with ${counted(created.accepted, 'seed')}${created.rejectedCount === 0 ? '' : `; ${counted(created.rejectedCount, 'seed')} cannot be crawled`}.`,
    `  orbweaver status ${created.id} shows where it stands.`,
  ]);
  return exitCodes.ok;
}

export type Control = 'pause' | 'resume' | 'cancel';

export async function controlCrawl(
  id: string,
  control: Control,
  options: VerbOptions & { readonly reason?: string },
): Promise<ExitCode> {
  const { reason, json = false } = options;
  const api = await anyApi(options);
  const answer = await api.change('POST', `/v1/crawls/${id}/${control}`, crawlStateAnswer, {
    body: reason === undefined ? {} : { reason },
  });
  writeOne(answer, json, () => [stateLine(answer)]);
  return exitCodes.ok;
}

/** Milliseconds between two looks at a deletion, and for which a crawl may take to end. */
const lookMs = 1_000;
const endingMs = 120_000;

/** Waits until nothing is left of the crawl. @param options `force`: a crawl that is not over is cancelled first */
export async function deleteCrawl(
  id: string,
  options: VerbOptions & { readonly force?: boolean },
): Promise<ExitCode> {
  const { force = false, json = false } = options;
  const api = await anyApi(options);
  const path = `/v1/crawls/${id}`;
  if (force) await endCrawl(api, path);
  let left: number | null = null;
  for (;;) {
    const answer = await api.change('DELETE', path, crawlRemoval).catch((error: unknown) => {
      // The crawl is unknown after its deletion began: the deletion is done.
      if (left !== null && error instanceof RefusedError && error.status === 404) return null;
      throw error;
    });
    if (answer === null) break;
    if (left !== null)
      process.stderr.write(`${counted(answer.urls, 'URL is', 'URLs are')} still to be removed.\n`);
    left = answer.urls;
    await sleep(lookMs);
  }
  writeOne({ id, deleted: true }, json, () => [`Crawl ${id} is deleted.`]);
  return exitCodes.ok;
}

/** Cancels a crawl that is not over, and waits for its end. @throws CommandError */
async function endCrawl(api: Api, path: string): Promise<void> {
  const deadline = performance.now() + endingMs;
  for (let asked = false; ;) {
    const { state } = await api.get(path, crawlView);
    if (closedCrawlStates.includes(state)) return;
    if (!asked && state !== 'draining') {
      await api.change('POST', `${path}/cancel`, crawlStateAnswer, { body: { reason: 'deleted' } });
      asked = true;
    }
    if (performance.now() > deadline)
      throw new CommandError('The crawl was cancelled and has not ended yet; try again.', exitCodes.failed);
    await sleep(lookMs);
  }
}

const stateLine = ({ id, state, reason }: CrawlStateAnswer): string =>
  `Crawl ${id} ${standsAs(state)}${reason === null ? '' : ` (${reason})`}.`;
