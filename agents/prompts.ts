/** Prompts: tasks that people pick in their client, worded for its model. */
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const text = (most: number) => z.string().min(1).max(most);

export function addPrompts(server: McpServer): void {
  server.registerPrompt(
    'research_site',
    {
      title: 'Answer a question from a site',
      description: 'Crawls a site and answers a question from its pages, with sources.',
      argsSchema: z.object({
        url: text(4_096).describe('Where to start.'),
        question: text(4_000).describe('What you want to know.'),
      }),
    },
    ({ url, question }) =>
      asked(
        `Answer this question from the pages of ${url}: ${question}`,
        'Look with list_crawls whether the site was crawled lately; otherwise crawl it, with no more pages than the question needs. Use search to find the pages, read_page to read them, and explain if one that should be there is missing. Name the URL of each page that you rely on. If the pages do not say it, say so.',
      ),
  );
  server.registerPrompt(
    'why_missing',
    {
      title: 'Find out why a page is missing',
      description: 'Says why a crawl has not fetched a URL, and what would change that.',
      argsSchema: z.object({
        crawlId: text(20).describe('Id of the crawl.'),
        url: text(4_096).describe('URL of the page that is missing.'),
      }),
    },
    ({ crawlId, url }) =>
      asked(
        `Why does crawl ${crawlId} not have ${url}?`,
        'Ask explain with the crawl and the URL. If the URL waits, ask explain of the crawl as a whole and, if you may, hosts for its host. Say in a few sentences which decision kept the page away, whether it comes by itself and when, and what a person could change. If robots.txt or an opt-out forbids it, say that and leave it there.',
      ),
  );
  server.registerPrompt(
    'what_changed',
    {
      title: 'Say what is new on a site',
      description: 'Crawls a site again, and sums up what has changed since a date.',
      argsSchema: z.object({
        url: text(4_096).describe('Where to start.'),
        since: text(40).optional().describe('Only changes since this date, such as 2031-01-01.'),
      }),
    },
    ({ url, since }) =>
      asked(
        `What is new at ${url}${since === undefined ? '' : ` since ${since}`}?`,
        'Crawl the site again with the limits of the last crawl of it (list_crawls), wait for its end, and ask changes of the new crawl. Read the pages that changed most with read_page. Sum up what a reader would notice, page by page; leave out minor changes, but say how many there were.',
      ),
  );
}

const asked = (...paragraphs: readonly string[]) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: paragraphs.join('\n\n') } }],
});
