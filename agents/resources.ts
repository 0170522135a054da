/** Crawls and their pages under addresses of their own, for clients that let people attach what a model shall read. */
import { type McpServer, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';
import { crawlId as crawlIdSchema } from '../contracts/http/shared.ts';
import { crawlList, crawlView } from '../contracts/http/crawls.ts';
import { pieceOf } from './bounds.ts';
import { Refusal } from './api.ts';
import type { Call } from './tool.ts';
import { marked } from './untrusted.ts';

/** Crawls that are listed, the newest. */
const listedCrawls = 50;

export function addResources(server: McpServer, callFor: (context: ServerContext) => Call): void {
  server.registerResource(
    'crawl',
    new ResourceTemplate('orbweaver://crawl/{crawlId}', {
      list: async (context) => {
        const { items } = await callFor(context).ask('GET /v1/crawls', crawlList, {
          query: { limit: listedCrawls },
        });
        return {
          resources: items.map(({ id, state, label, pages }) => ({
            uri: `orbweaver://crawl/${id}`,
            name: `crawl ${id}`,
            title: label === null ? `Crawl ${id}` : `Crawl ${id}: ${label}`,
            description: `${state}, ${String(pages)} pages`,
            mimeType: 'application/json',
          })),
        };
      },
    }),
    {
      title: 'A crawl',
      description: 'State, counts and settings of a crawl, as JSON.',
      mimeType: 'application/json',
    },
    async (uri, variables, context) => {
      const crawlId = readId(variables['crawlId']);
      const view = await callFor(context).ask('GET /v1/crawls/{crawlId}', crawlView.omit({ stages: true }), {
        path: { crawlId },
      });
      const { text } = pieceOf(JSON.stringify(view, null, 1), 0);
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] };
    },
  );
  server.registerResource(
    'page',
    new ResourceTemplate('orbweaver://crawl/{crawlId}/page/{url}', { list: undefined }),
    {
      title: 'A page of a crawl',
      description:
        'A stored page as Markdown, from its beginning; the URL is percent-encoded as a whole. The tool read_page reads on where a page is long.',
      mimeType: 'text/markdown',
    },
    async (uri, variables, context) => {
      const crawlId = readId(variables['crawlId']);
      const url = decoded(variables['url']);
      const page = await callFor(context).read('GET /v1/crawls/{crawlId}/body', {
        path: { crawlId },
        query: { url, part: 'markdown' },
      });
      const { text, to, of } = pieceOf(page.text, 0);
      const rest =
        to === of
          ? ''
          : `\n\nread_page with offset ${String(to)} reads on: ${String(of - to)} characters are left.`;
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text: marked(text) + rest }] };
    },
  );
}

type Variable = string | string[] | undefined;
const one = (value: Variable): string => (Array.isArray(value) ? value.join(',') : (value ?? ''));

function readId(value: Variable): string {
  const read = crawlIdSchema.safeParse(one(value));
  if (!read.success) throw new Refusal(404, 'The address names no crawl.');
  return read.data;
}

function decoded(value: Variable): string {
  try {
    return decodeURIComponent(one(value));
  } catch (error) {
    if (error instanceof URIError) throw new Refusal(400, 'The URL in the address must be percent-encoded.');
    throw error;
  }
}
