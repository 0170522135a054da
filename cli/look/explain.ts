/** `explain`: every decision on a URL, or why a crawl is slow or not finished. */
import { crawlTimeView } from '../../contracts/http/crawl-time.ts';
import { crawlView } from '../../contracts/http/crawls.ts';
import { explanation, type Explanation } from '../../contracts/http/explain.ts';
import { needPhrases } from '../../domain/limits.ts';
import { withApi } from '../api/target.ts';
import { crawlableUrl, oneCrawl } from '../arguments.ts';
import { printable, writeOne } from '../output/table.ts';
import { does } from '../verb.ts';
import { explainCrawlLines } from './explain-crawl.ts';

export const verbs = [
  does({
    words: 'explain',
    takes: {
      ...oneCrawl,
      '[url]': { about: 'any spelling of the URL; absent: the crawl as a whole', read: crawlableUrl },
      '--json': 'as JSON',
    },
    examples: ['3', '3 https://example.com/private/'],
    run: ({ id, url, json, ...given }) =>
      withApi(given, async (api) => {
        const path = `/v1/crawls/${id}`;
        if (url !== undefined) {
          const found = await api.get(`${path}/explain`, explanation, { url });
          writeOne(found, json, () => explainLines(found));
          return;
        }
        const [found, { pages, cut }] = await Promise.all([
          api.get(`${path}/time`, crawlTimeView),
          api.get(path, crawlView.pick({ pages: true, cut: true })),
        ]);
        writeOne(found, json, () => [
          ...explainCrawlLines(found),
          ...needPhrases(pages, cut).map((phrase) => `What was fetched says little: ${phrase}.`),
        ]);
      }),
  }),
];

const marks: Readonly<Record<Explanation['decisions'][number]['effect'], string>> = {
  pass: 'ok',
  stop: 'no',
  wait: 'wait',
  note: '',
};

/** The answer and its URL, then one line for each decision: its verdict, its subject, its reason. */
export function explainLines(found: Explanation): string[] {
  const heading = [
    found.summary,
    '',
    `  URL        ${found.url}`,
    `  canonical  ${found.canonical}`,
    `  key        ${found.key}`,
  ];
  const decisions = found.decisions.map(({ effect, step, because }, at) => {
    const label = step === found.decisions[at - 1]?.step ? '' : step;
    return `  ${marks[effect].padEnd(4)}  ${label.padEnd(11)}  ${because}`;
  });
  return [...heading, '', ...decisions].map(printable);
}
