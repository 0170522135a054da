/** `status`: a crawl, or the stack and the latest crawls. */
import { crawlView, type CrawlSummary } from '../../contracts/http/crawls.ts';
import { crawlOutlookView } from '../../contracts/http/outlook.ts';
import type { Api } from '../api/api.ts';
import { withApi, type Place } from '../api/target.ts';
import { crawlId } from '../arguments.ts';
import { printable, table, writeLines } from '../output/table.ts';
import { runningWorkflows, workflowPages } from '../stack/temporal-web.ts';
import { latestCrawls, shownCrawls } from '../steer/crawl-list.ts';
import { does } from '../verb.ts';
import { statusLines } from './status-lines.ts';

const listed = 20;

export const verbs = [
  does({
    words: 'status',
    takes: { '[id]': { about: 'id of the crawl', read: crawlId }, '--json': 'as JSON' },
    examples: ['', '3 --json'],
    run: async ({ id, json, ...given }) => {
      writeLines(
        await withApi(given, (api, place) =>
          id === undefined ? overview(api, place, json) : one(api, place, id, json),
        ),
      );
    },
  }),
];

async function one(api: Api, place: Place, id: string, json: boolean): Promise<readonly string[]> {
  const [view, outlook] = await Promise.all([
    api.get(`/v1/crawls/${id}`, crawlView),
    api.get(`/v1/crawls/${id}/outlook`, crawlOutlookView, { fields: 'parked' }),
  ]);
  if (json) return [JSON.stringify({ ...view, outlook })];
  // Nobody here knows where another server has its Temporal Web.
  const web = typeof place === 'string' ? null : workflowPages(place);
  return statusLines(view, outlook, web).map(printable);
}

async function overview(api: Api, place: Place, json: boolean): Promise<readonly string[]> {
  const crawls: CrawlSummary[] = [];
  for await (const crawl of latestCrawls(api, listed)) crawls.push(crawl);
  if (json) return [JSON.stringify(crawls)];
  const { heads, row, none } = shownCrawls;
  const lines =
    crawls.length === 0 ? [none] : table([heads, ...crawls.map((crawl) => row(crawl).map(printable))]);
  return [...placeLines(place), ...lines];
}

function placeLines(place: Place): readonly string[] {
  if (place === 'server') return [];
  if (place === 'own') return ['No stack is running.'];
  const { launcher, apiUrl, browser } = place;
  return [
    `The stack runs (process ${String(launcher.pid)}): API ${apiUrl ?? 'none'}, Temporal Web ${runningWorkflows(place) ?? 'not part of this stack'}`,
    browser === undefined
      ? 'No browser renders pages: those that need one keep what is read of them (docs/rendering.md).'
      : `Pages that need a browser are rendered by ${browser}`,
  ];
}
