/** `pages`: the pages that a crawl has found, as JSON lines. */
import { closedCrawlStates } from '../../contracts/crawl.ts';
import { crawlView } from '../../contracts/http/crawls.ts';
import { pageView } from '../../contracts/http/results.ts';
import { pageFields } from '../../contracts/page-fields.ts';
import { withApi } from '../api/target.ts';
import { fieldList, oneCrawl } from '../arguments.ts';
import { writeJsonLines, sayPlainly } from '../output/lines.ts';
import { does } from '../verb.ts';
import { pageOptions, pageQuery } from './page-filter.ts';

export const verbs = [
  does({
    words: 'pages',
    takes: {
      ...pageOptions,
      ...oneCrawl,
      '--fields <list>': {
        about: `fields to add, comma-separated: ${pageFields.join(', ')}`,
        read: fieldList,
      },
    },
    examples: [
      '3 > pages.jsonl',
      '3 --fields links,text | head -1',
      '3 --host https://example.com --status 4xx',
    ],
    /** Not the stream of `export`, which the API gives up when its reader takes nothing for a minute: a pager may. */
    run: async ({ id, fields, ...given }) => {
      const query = { limit: 1_000, fields: fields?.join(','), ...pageQuery(given) };
      await withApi(given, async (api) => {
        const { state } = await api.get(`/v1/crawls/${id}`, crawlView);
        await writeJsonLines(api.list(`/v1/crawls/${id}/pages`, pageView, query));
        if (!closedCrawlStates.includes(state)) sayPlainly(`Crawl ${id} is ${state}: more pages may follow.`);
      });
    },
  }),
];
