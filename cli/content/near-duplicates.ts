/** `near-duplicates`: pages of a crawl with nearly the same text. */
import { nearDuplicateList } from '../../contracts/http/near-duplicates.ts';
import { grouped } from '../../domain/counted.ts';
import { oneCrawl } from '../arguments.ts';
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
      none: 'No pages with nearly the same text were found. A crawl looks for them only with --near-duplicates yes.',
    },
  }),
];
