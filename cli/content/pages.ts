/** `pages`: the pages that a crawl has found, as JSON lines. */
import { closedCrawlStates } from '../../contracts/crawl.ts';
import { crawlView } from '../../contracts/http/crawls.ts';
import { pageView } from '../../contracts/http/results.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import { withApi, type ApiOptions } from '../api/target.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { writeJsonLines } from '../output/lines.ts';
import { readPageFilter, type PageFilterOptions } from './page-filter.ts';
import { sayPlainly } from '../output/say.ts';

/** Not the stream of `export`, which the API gives up when its reader takes nothing for a minute: a pager may. */
export async function pages(
  id: string,
  fields: readonly PageField[],
  options: ApiOptions & PageFilterOptions,
): Promise<ExitCode> {
  const { query: filter } = readPageFilter(options);
  const query = { limit: 1_000, fields: fields.length === 0 ? undefined : fields.join(','), ...filter };
  await withApi(options, async (api) => {
    const { state } = await api.get(`/v1/crawls/${id}`, crawlView);
    await writeJsonLines(api.list(`/v1/crawls/${id}/pages`, pageView, query));
    if (!closedCrawlStates.includes(state)) sayPlainly(`Crawl ${id} is ${state}: more pages may follow.`);
  });
  return exitCodes.ok;
}
