/**
 * `npm run bench -- priority`: how much of all importance (PageRank over the whole graph) a crawl has fetched after 10, 25
 * and 50 % of its pages: by score, breadth-first, in random order, and at best. On a synthetic web of many hosts and on
 * the link graphs of real documentation (folders of HTML files). Exits 1 where the score is not better than breadth-first
 * at every point, or where a focused crawl has not twice its harvest on a web of topics.
 */
import { existsSync } from 'node:fs';
import { createExtractor } from '../content/extract.ts';
import { defaultWeights, focusedWeights } from '../domain/priority/score.ts';
import { tellingTerms } from '../domain/relevance/terms.ts';
import { script, whole } from '../test/support/script.ts';
import { table } from './figures.ts';
import { crawledOrder } from './priority/crawled-order.ts';
import { folderWeb, misleadingWeb, pageRank, reachable, syntheticWeb, type Web } from './priority/graph.ts';
import { breadthFirst, byScore, captured, inRandomOrder, type Order } from './priority/orders.ts';
import { byRelevance, harvest, textOf, topicalWeb } from './priority/topics.ts';

const values = script('bench -- priority', 'How soon a crawl has the pages that matter, in several orders.')
  .option('--hosts <count>', 'of the synthetic web', whole(), 1_500)
  .option('--folder <paths...>', 'folders with an index.html, to be crawled as well', [])
  .option(
    '--stack',
    'crawl each folder with the whole crawler too, a request at a time, breadth-first and by score',
  )
  .option(
    '--explore',
    'take a share of the pages whatever their scores, on a host where links mislead as well (docs/decisions/0016-exploring-hosts.md)',
  )
  .parse()
  .opts<{ hosts: number; folder: readonly string[]; stack?: true; explore?: true }>();

/** Of Debian's packages postgresql-doc-15 and python3-doc, where they are installed. */
const usual = ['/usr/share/doc/postgresql-doc-15/html', '/usr/share/doc/python3.11/html'];
const folders = [...usual.filter((folder) => existsSync(`${folder}/index.html`)), ...values.folder];
const parts = [0.1, 0.25, 0.5];
const missed: string[] = [];

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function report(
  name: string,
  web: Web,
  orders: readonly (readonly [name: string, order: Order])[],
  judged = true,
): void {
  const importance = pageRank(web);
  const shares = (order: Order): number[] => parts.map((part) => captured(order, importance, part));
  const best = [...importance.keys()].sort((one, other) => (importance[other] ?? 0) - (importance[one] ?? 0));
  const rows = [...orders, ['at best', best] as const].map(([order, pages]) => [
    order,
    ...shares(pages).map(percent),
  ]);
  const heads = [`${name}: ${web.pages.length.toLocaleString('en-US')} pages`, ...parts.map(percent)];
  process.stdout.write(`${table([heads, ...rows])}\n\n`);
  const [ours = [], breadth = []] = orders.map(([, order]) => shares(order));
  if (judged && ours.some((share, at) => share <= (breadth[at] ?? 1))) missed.push(name);
}

const simulated = (web: Web): (readonly [string, Order])[] => [
  ['by score', byScore(web, defaultWeights)],
  ['breadth-first', breadthFirst(web)],
  ['random', inRandomOrder(web, 1)],
  ...(values.explore ? explored(web) : []),
];
const explored = (web: Web): (readonly [string, Order])[] =>
  (['random', 'subtree'] as const).flatMap((by) =>
    [0.05, 0.1, 0.2].map(
      (share) => [`${by} ${percent(share)}`, byScore(web, defaultWeights, { share, by })] as const,
    ),
  );

if (values.explore) report('links mislead', misleadingWeb(), simulated(misleadingWeb()), false);
for (const seed of [7, 8, 9]) {
  const web = reachable(syntheticWeb(seed, values.hosts));
  report(`synthetic web ${String(seed)}`, web, simulated(web));
}
const extractor = await createExtractor();
for (const folder of folders) {
  const web = folderWeb(folder, 'index.html', extractor);
  const crawled: (readonly [string, Order])[] = [];
  if (values.stack) {
    crawled.push(['the crawler, by score', await crawledOrder(web, folder, null)]);
    crawled.push(['the crawler, depth=1', await crawledOrder(web, folder, { depth: 1 })]);
  }
  report(folder.replace('/usr/share/doc/', ''), web, [...simulated(web), ...crawled]);
}
/** The share of relevant pages among those fetched: twice that of breadth-first, at least, after 20 % of the pages. */
for (const seed of [1, 2, 3]) {
  const web = topicalWeb(seed, 300);
  const topic = 4;
  const examples = web.topics
    .flatMap((about, number) => (about === topic ? [number] : []))
    .slice(0, 3)
    .map((number) => tellingTerms(textOf(web, number), 40).join(' '));
  const words = web.words[topic] ?? [];
  const orders: readonly (readonly [string, Order])[] = [
    ['to 5 words', byRelevance(web, { words: words.slice(0, 5), examples: [] }, focusedWeights)],
    ['to 3 examples', byRelevance(web, { words: [], examples }, focusedWeights)],
    ['breadth-first', breadthFirst(web)],
    ['random', inRandomOrder(web, seed)],
  ];
  const shares = [0.1, 0.2, 0.5];
  const rows = orders.map(([name, order]) => [
    name,
    ...shares.map((part) => `${(100 * harvest(order, web, topic, part)).toFixed(1)} %`),
  ]);
  const name = `topics ${String(seed)}`;
  const heads = [`${name}: ${web.pages.length.toLocaleString('en-US')} pages`, '10 %', '20 %', '50 %'];
  process.stdout.write(`${table([heads, ...rows])}\n\n`);
  const [ofWords = 0, ofExamples = 0, breadth = 1] = orders.map(([, order]) =>
    harvest(order, web, topic, 0.2),
  );
  if (Math.min(ofWords, ofExamples) < 2 * breadth) missed.push(name);
}
if (missed.length > 0) process.exitCode = 1;
