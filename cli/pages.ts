/** `pages`: the pages that a crawl has found, as JSON lines. */
import { loadConfig } from '../config/config.ts';
import { closedCrawlStates, type CrawlState } from '../contracts/crawl.ts';
import { crawlView } from '../contracts/http/crawls.ts';
import { pageView, type PageField } from '../contracts/http/results.ts';
import { findCrawl } from '../storage/crawls/index.ts';
import { allPages } from '../storage/pages/index.ts';
import { namedApi, type ApiOptions } from './api-target.ts';
import { exitCodes, type ExitCode } from './ending.ts';
import { writeJsonLines } from './lines.ts';
import { readPageFilter, type PageFilterOptions } from './page-filter.ts';
import { noSuchCrawl, sayPlainly, textReader, withDatabase } from './stack.ts';

export async function pages(
  id: string,
  fields: readonly PageField[],
  options: ApiOptions & PageFilterOptions,
): Promise<ExitCode> {
  const wanted = readPageFilter(options);
  const api = await namedApi(options);
  if (api !== null) {
    const { state } = await api.get(`/v1/crawls/${id}`, crawlView);
    const query = {
      limit: 1_000,
      fields: fields.length === 0 ? undefined : fields.join(','),
      ...wanted.query,
    };
    await writeJsonLines(api.list(`/v1/crawls/${id}/pages`, pageView, query));
    tellOpen(id, state);
    return exitCodes.ok;
  }
  const config = loadConfig();
  await withDatabase(config, async (pool) => {
    const crawl = await findCrawl(pool, id);
    if (crawl === null) throw noSuchCrawl(id);
    await writeJsonLines(allPages(pool, id, fields, textReader(config), wanted.filter));
    tellOpen(id, crawl.state);
  });
  return exitCodes.ok;
}

function tellOpen(id: string, state: CrawlState): void {
  if (!closedCrawlStates.includes(state)) sayPlainly(`Crawl ${id} is ${state}: more pages may follow.`);
}
