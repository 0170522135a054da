/** `status`: a crawl, or the stack and the latest crawls. */
import { loadConfig } from '../config/config.ts';
import type { CrawlSummary } from '../contracts/http/crawls.ts';
import { findRunningStack } from '../stack/info.ts';
import { crawlsBefore, parkedHosts, viewCrawl } from '../storage/crawls.ts';
import type { Pool } from '../storage/pool.ts';
import { namedApi } from './api-target.ts';
import type { Api } from './api.ts';
import { latestCrawls, showCrawl, shownCrawls, type VerbOptions } from './crawls.ts';
import { exitCodes, type ExitCode } from './ending.ts';
import { noSuchCrawl, withDatabase } from './stack.ts';
import { summaryLines } from './summary.ts';
import { printable, table, writeLines } from './table.ts';

const listed = 20;

export async function status(id: string | null, options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const api = await namedApi(options);
  if (api !== null) return id === null ? elsewhere(api, json) : showCrawl(api, id, json);
  const config = loadConfig();
  const running = findRunningStack(config.dataDir);
  const lines = await withDatabase(config, (pool) =>
    id === null ? overview(pool, json) : one(pool, id, json),
  );
  if (id === null && !json) {
    const where =
      running === null
        ? 'No stack is running.'
        : `The stack runs (process ${String(running.launcher.pid)}): API ${running.apiUrl ?? 'none'}, Temporal Web ${running.temporalUiUrl ?? 'not ours'}`;
    lines.unshift(where);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
  return exitCodes.ok;
}

async function one(pool: Pool, id: string, json: boolean): Promise<string[]> {
  const view = await viewCrawl(pool, id);
  if (view === null) throw noSuchCrawl(id);
  return json ? [JSON.stringify(view)] : summaryLines(view, await parkedHosts(pool, id, 10));
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
