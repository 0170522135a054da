/** `sitemaps`: the sitemaps of a crawl, and what is wrong with them. */
import { sitemapList } from '../../contracts/http/sitemaps.ts';
import { grouped } from '../../domain/counted.ts';
import { oneCrawl } from '../arguments.ts';
import { asks } from '../verb.ts';

const numberOr = (count: number | null): string => (count === null ? '' : grouped(count));

export const verbs = [
  asks({
    words: 'sitemaps',
    takes: {
      ...oneCrawl,
      '--state <states>': 'only sitemaps in these states, such as faulty,failed',
      '--json': 'as JSON, one object a line, with up to twenty faults of each',
    },
    examples: ['3', '3 --state faulty,failed --json'],
    route: 'GET /v1/crawls/{id}/sitemaps',
    query: ({ state }) => ({ state }),
    answer: sitemapList.shape.items.element,
    print: {
      heads: ['state', 'format', 'pages', 'sitemaps', 'new', 'faults', 'url', 'what'],
      row: ({ state, format, pages, sitemaps, newUrls, faultCount, url, faults: [first], why, status }) => [
        state,
        format ?? '',
        ...[pages, sitemaps, newUrls].map(numberOr),
        faultCount === 0 ? '' : grouped(faultCount),
        url,
        first === undefined
          ? (why ?? (state === 'redirect' ? `status ${String(status)}` : ''))
          : `line ${String(first.line)}: ${first.what}`,
      ],
      none: 'The crawl has no such sitemaps.',
    },
  }),
];
