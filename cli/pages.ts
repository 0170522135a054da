/** `pages`: what a crawl has found, as JSON lines. */
import { loadConfig } from '../config/config.ts';
import { closedCrawlStates } from '../contracts/crawl.ts';
import type { PageField } from '../contracts/http.ts';
import { findCrawl } from '../storage/crawls.ts';
import { allPages } from '../storage/pages.ts';
import { exitCodes, type ExitCode } from './ending.ts';
import { writeJsonLines } from './lines.ts';
import { noSuchCrawl, sayPlainly, textReader, withDatabase } from './stack.ts';

export async function pages(id: string, fields: readonly PageField[]): Promise<ExitCode> {
  const config = loadConfig();
  await withDatabase(config, async (pool) => {
    const crawl = await findCrawl(pool, id);
    if (crawl === null) throw noSuchCrawl(id);
    await writeJsonLines(allPages(pool, id, fields, textReader(config)));
    if (!closedCrawlStates.includes(crawl.state))
      sayPlainly(`Crawl ${id} is ${crawl.state}: more pages may follow.`);
  });
  return exitCodes.ok;
}
