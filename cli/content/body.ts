/** `body`: what a URL was answered with, as it was stored. */
import { withApi } from '../api/target.ts';
import { crawlableUrl, oneCrawl } from '../arguments.ts';
import { CommandError } from '../ending.ts';
import { streamTo } from '../output/out-file.ts';
import { does } from '../verb.ts';

const types = {
  body: 'application/octet-stream',
  head: 'text/plain',
  markdown: 'text/markdown',
  'main-markdown': 'text/markdown',
};

export const verbs = [
  does({
    words: 'body',
    takes: {
      ...oneCrawl,
      '<url>': { about: 'URL in any spelling', read: crawlableUrl },
      '--head': 'write the head of the answer instead: status and fields',
      '--markdown': 'write the page as Markdown instead, its links made absolute',
      '--main': 'with --markdown: the main text alone, without what surrounds it',
      '--out <file>': 'write to this file, which appears only once it is complete',
    },
    examples: [
      '3 https://example.com/ --out page.html',
      '3 https://example.com/ --head',
      '3 https://example.com/ --markdown',
    ],
    run: async ({ id, url, head, markdown, main, out, ...given }) => {
      if (head && markdown) throw new CommandError('--head and --markdown cannot be given together.');
      if (main && !markdown) throw new CommandError('--main is for --markdown.');
      const part = head ? 'head' : main ? 'main-markdown' : markdown ? 'markdown' : 'body';
      await streamTo(out, (write) =>
        withApi(given, async (api) => {
          const query = { url, part };
          await write((await api.take(`/v1/crawls/${id}/body`, types[part], { query })).chunks);
        }),
      );
    },
  }),
];
