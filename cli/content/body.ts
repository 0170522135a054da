/** `body`: what a URL was answered with, as it was stored, and what was made of it. */
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
  screenshot: 'image/png',
  pdf: 'application/pdf',
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
      '--screenshot': 'write the picture (PNG) that a browser took of the page instead',
      '--pdf': 'write the PDF that a browser printed of the page instead',
      '--out <file>': 'write to this file, which appears only once it is complete',
    },
    examples: [
      '3 https://example.com/ --out page.html',
      '3 https://example.com/ --head',
      '3 https://example.com/ --markdown',
      '3 https://example.com/ --screenshot --out page.png',
    ],
    run: async ({ id, url, head, markdown, screenshot, pdf, main, out, ...given }) => {
      const asked = Object.entries({ head, markdown, screenshot, pdf }).flatMap(([name, is]) =>
        is ? [name as 'head' | 'markdown' | 'screenshot' | 'pdf'] : [],
      );
      const [one = 'body', other] = asked;
      if (other !== undefined) throw new CommandError(`--${one} and --${other} cannot be given together.`);
      if (main && !markdown) throw new CommandError('--main is for --markdown.');
      const part = main ? 'main-markdown' : one;
      await streamTo(out, (write) =>
        withApi(given, async (api) => {
          const query = { url, part };
          await write((await api.take(`/v1/crawls/${id}/body`, types[part], { query })).chunks);
        }),
      );
    },
  }),
];
