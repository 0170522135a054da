/** Pages by their texts. */
import { z } from 'zod';
import { searchAnswer } from '../../contracts/http/search.ts';
import { counted } from '../../domain/counted.ts';
import { partThatFits } from '../bounds.ts';
import { crawlId, cursor, limit } from '../inputs.ts';
import { tool } from '../tool.ts';

export const search = tool({
  name: 'search',
  title: 'Search crawled pages',
  description:
    'Searches the texts of pages that were crawled: all indexed crawls, or those that are named. Words must all be there; "phrases in quotes" and -words that must not be there work too. Answers URLs with a piece of the text around what was found; read_page reads them.',
  input: z.strictObject({
    query: z.string().min(1).max(500).describe('Words, "phrases", and -words that must not be there.'),
    crawlIds: z.array(crawlId).min(1).max(50).optional().describe('Only these crawls.'),
    host: z.string().max(1_000).optional().describe('Only pages of this host, such as https://example.com.'),
    language: z.string().max(3).optional().describe('Only pages in this language, such as en.'),
    since: z.string().max(40).optional().describe('Only pages fetched since, such as 2031-01-01T00:00:00Z.'),
    limit: limit(10),
    cursor,
  }),
  asks: ['GET /v1/search'],
  does: 'reads',
  run: async ({ query, crawlIds, limit: most, ...rest }, { ask }) => {
    const { items, answer } = await partThatFits(
      most,
      (asked) =>
        ask('GET /v1/search', searchAnswer, {
          query: { q: query, crawl: crawlIds?.join(','), limit: asked, ...rest },
        }),
      ({ crawlId: id, url, title, language, fetchedAt, snippet }) => ({
        crawlId: id,
        url,
        title,
        language,
        fetchedAt,
        snippet: snippet.map(({ text, hit }) => (hit ? `**${text}**` : text)).join(''),
      }),
    );
    const { found, complete, crawls, building, next } = answer;
    return {
      says: [
        crawls === 0
          ? 'No crawl is indexed for searches. Crawls that the tool crawl starts are.'
          : `${complete ? '' : 'At least '}${counted(found, 'page')} found, ${String(items.length)} shown, the best first.`,
        ...(building.length === 0
          ? []
          : [`Crawls ${building.join(', ')} are still being indexed: there may be more later.`]),
        ...(next === null ? [] : [`More follow: ask again with cursor "${next}".`]),
      ],
      facts: { found, complete, building, next },
      web: items,
    };
  },
});
