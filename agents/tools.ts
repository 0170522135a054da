/** All tools, in the order in which a model reads them. */
import type { AnyTool } from './tool.ts';
import { changes } from './tools/changes.ts';
import { cancelCrawl, crawl, listCrawls } from './tools/crawls.ts';
import { explain } from './tools/explain.ts';
import { fetchPage } from './tools/fetch.ts';
import { hosts, retryHost } from './tools/hosts.ts';
import { extract, listPages, readPage } from './tools/pages.ts';
import { search } from './tools/search.ts';

export const tools: readonly AnyTool[] = [
  crawl,
  fetchPage,
  search,
  listCrawls,
  listPages,
  readPage,
  extract,
  explain,
  changes,
  hosts,
  retryHost,
  cancelCrawl,
];
