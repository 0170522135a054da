/** `status`: a crawl, or the stack and the latest crawls. */
import { loadConfig } from '../config/config.ts';
import type { CrawlSummary } from '../contracts/http/crawls.ts';
import { findRunningStack, type StackInfo } from '../stack/info.ts';
import { crawlsBefore, parkedHosts, viewCrawl } from '../storage/crawls/index.ts';
import { outlookOf } from '../storage/reports/index.ts';
import type { Pool } from '../storage/postgres/index.ts';
import { namedApi } from './api-target.ts';
import type { Api } from './api.ts';
import { latestCrawls, showCrawl, shownCrawls, type VerbOptions } from './crawls.ts';
import { statusLines } from './status-lines.ts';
import { exitCodes, type ExitCode } from './ending.ts';
import { noSuchCrawl, withDatabase } from './stack.ts';
import { printable, table, writeLines } from './table.ts';
import { runningWorkflows, workflowPages } from './temporal-web.ts';

const listed = 20;
/** Hosts that are named, at most. */
const named = 10;

export async function status(id: string | null, options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const api = await namedApi(options);
  if (api !== null) return id === null ? elsewhere(api, json) : showCrawl(api, id, json);
  const config = loadConfig();
  const running = findRunningStack(config.dataDir);
  const lines = await withDatabase(config, (pool) =>
    id === null ? overview(pool, json) : one(pool, id, json, running),
  );
  if (id === null && !json) {
    const where =
      running === null
        ? 'No stack is running.'
        : `The stack runs (process ${String(running.launcher.pid)}): API ${running.apiUrl ?? 'none'}, Temporal Web ${runningWorkflows(running) ?? 'not part of this stack'}`;
    lines.unshift(where);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
  return exitCodes.ok;
}

async function one(pool: Pool, id: string, json: boolean, running: StackInfo | null): Promise<string[]> {
  const view = await viewCrawl(pool, id);
  const outlook = await outlookOf(pool, id, named);
  if (view === null || outlook === null) throw noSuchCrawl(id);
  if (json) return [JSON.stringify({ ...view, outlook })];
  const web = running === null ? null : workflowPages(running);
  return statusLines(view, outlook, await parkedHosts(pool, id, named), web);
}

async function overview(pool: Pool, json: boolean): Promise<string[]> {
  return overviewLines(await crawlsBefore(pool, null, listed), json);
}

async function elsewhere(api: Api, json: boolean): Promise<ExitCode> {
  const crawls: CrawlSummary[] = [];
  for await (const crawl of latestCrawls(api, listed)) crawls.push(crawl);
  writeLines(overviewLines(crawls, json));
  return exitCodes.ok;
}

function overviewLines(crawls: readonly CrawlSummary[], json: boolean): string[] {
  if (json) return [JSON.stringify(crawls)];
  const { heads, row, none } = shownCrawls;
  return crawls.length === 0 ? [none] : table([heads, ...crawls.map((crawl) => row(crawl).map(printable))]);
}
