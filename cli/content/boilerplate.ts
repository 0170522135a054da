/** `boilerplate`: the text that a crawl leaves out of the pages of a host. */
import { boilerplateView } from '../../contracts/http/boilerplate.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { oneCrawl } from '../arguments.ts';
import { table } from '../output/table.ts';
import { asks } from '../verb.ts';

export const verbs = [
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
