/** `status`: a crawl, or the stack and the latest crawls. */
import { loadConfig } from '../config/config.ts';
import type { CrawlSummary } from '../contracts/http.ts';
import { findRunningStack } from '../stack/info.ts';
import { crawlsBefore, parkedHosts, viewCrawl } from '../storage/crawls.ts';
import type { Pool } from '../storage/pool.ts';
import { exitCodes, type ExitCode } from './ending.ts';
import { noSuchCrawl, withDatabase } from './stack.ts';
import { summaryLines } from './summary.ts';
import { duration, grouped } from './words.ts';

const listed = 20;

export async function status(id: string | null, json: boolean): Promise<ExitCode> {
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
  const crawls = await crawlsBefore(pool, null, listed);
  if (json) return [JSON.stringify(crawls)];
  if (crawls.length === 0) return ['There is no crawl yet.'];
  const heads = ['crawl', 'state', 'reason', 'pages', 'queued', 'errors', 'time'];
  return table([heads, ...crawls.map(rowOf)]);
}

function rowOf(crawl: CrawlSummary): string[] {
  const { ledger } = crawl;
  return [
    crawl.id,
    crawl.state,
    crawl.reason ?? '',
    grouped(crawl.pages),
    grouped(ledger.queued + ledger.leased),
    grouped(ledger.dead + ledger.failed),
    crawl.seconds === null ? '' : duration(crawl.seconds),
  ];
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
