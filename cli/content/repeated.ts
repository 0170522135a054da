/** What repeats in a crawl. `near-duplicates`: pages with nearly the same text. `boilerplate`: text of many pages of a host. */
import { boilerplateView } from '../../contracts/http/boilerplate.ts';
import { nearDuplicateList } from '../../contracts/http/near-duplicates.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { oneCrawl } from '../arguments.ts';
import { table } from '../output/table.ts';
import { asks } from '../verb.ts';

export const verbs = [
  asks({
    words: 'near-duplicates',
    takes: { ...oneCrawl, '--json': 'as JSON, one object a line' },
    examples: ['3 --json'],
    route: 'GET /v1/crawls/{id}/near-duplicates',
    answer: nearDuplicateList.shape.items.element,
    print: {
      heads: ['pages', 'url', 'nearly the same'],
      row: ({ url, pages, alike }) => {
        const [first] = alike;
        const share = first === undefined ? '' : ` (${String(Math.round(first.likeness * 100))} %)`;
        const more = pages > 1 ? ` and ${grouped(pages - 1)} more` : '';
        return [grouped(pages), url, `${first?.url ?? ''}${share}${more}`];
      },
      none: 'No pages with nearly the same text were found. Only a crawl with --near-duplicates yes looks for them.',
    },
  }),
  asks({
    words: 'boilerplate',
    takes: { ...oneCrawl, '<host>': 'origin of the host', '--json': 'as JSON' },
    examples: ['3 https://docs.example.com'],
    route: 'GET /v1/crawls/{id}/boilerplate',
    query: ({ host }) => ({ host }),
    answer: boilerplateView,
    print: ({ host, pages, blocks }) => {
      if (pages === 0)
        return [
          `No pages of ${host} were counted. A crawl leaves repeated text out with --boilerplate leave-out.`,
        ];
      if (blocks.length === 0)
        return [`Nothing is repeated on more than a third of ${counted(pages, 'page')} of ${host}.`];
      return table([['pages', 'text'], ...blocks.map(({ text, pages: of }) => [grouped(of), text])]);
    },
  }),
];
