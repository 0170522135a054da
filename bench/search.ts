/**
 * `npm run bench -- search`: full text in Postgres over made-up pages, whose words come as often as words of a language do
 * (Zipf): what a page costs to index, and how long searches take for common words, rare ones, and phrases, also in
 * processor time of Postgres (on Linux), which says more while other programs want the machine. Exits 1 when a target is
 * missed.
 */
import { readFileSync } from 'node:fs';
import { createPool } from '../storage/postgres/index.ts';
import { PostgresIndex, type IndexedPage } from '../storage/search/index.ts';
import { askIndex } from '../storage/search/index.ts';
import { readQuery } from '../domain/search/query.ts';
import { script, whole } from '../test/support/script.ts';
import { bare, startOwnStack } from '../test/support/start-stack.ts';
import { quantile, table } from './figures.ts';

const {
  pages,
  words: wordsOfPage,
  rounds,
} = script('bench -- search', 'Full text in Postgres over made-up pages.')
  .option('--pages <count>', 'that are indexed; 1000000 takes some hours', whole(), 100_000)
  .option('--words <count>', 'of each page', whole(), 400)
  .option('--rounds <count>', 'searches of each kind', whole(), 60)
  .parse()
  .opts<{ pages: number; words: number; rounds: number }>();
/** Milliseconds. */
const target = 50;

/** As many words as an encyclopaedia has; the k-th is k times as rare as the first. */
const vocabulary = 200_000;
const harmonic = Math.log(vocabulary) + 0.577;
const syllables = [
  'ba',
  'ke',
  'di',
  'lo',
  'mu',
  'na',
  'pe',
  'ri',
  'so',
  'tu',
  'va',
  'ze',
  'go',
  'fi',
  'hu',
  'ca',
];
const wordOf = (rank: number): string => {
  let word = '';
  for (let left = rank + 16; left > 0; left = Math.floor(left / 16)) word += syllables[left % 16] ?? '';
  return word;
};

/** Mulberry32: the same pages each time. */
let seed = 20_261_123;
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const rankOf = (): number => Math.min(vocabulary, Math.floor(Math.exp(random() * harmonic))) - 1;
const wordsAtRandom = (count: number): string =>
  Array.from({ length: count }, () => wordOf(Math.max(0, rankOf()))).join(' ');

const pageOf = (at: number): IndexedPage => ({
  key: at.toString(16).padStart(16, '0'),
  url: `https://host-${String(at % 500)}.example/page/${String(at)}`,
  origin: `https://host-${String(at % 500)}.example`,
  title: wordsAtRandom(6),
  description: wordsAtRandom(15),
  text: wordsAtRandom(Math.round(wordsOfPage * (0.25 + 1.5 * random()))),
  ...{ language: at % 5 === 0 ? 'de' : 'en', status: 200, mediaType: 'text/html' },
  fetchedAt: new Date(1_700_000_000_000 + at * 1_000).toISOString(),
  digest: at.toString(16).padStart(32, '0'),
});

const own = await startOwnStack({ ...bare, services: 'postgres' });
// One connection, whose processor time is read.
const pool = createPool(own.stack.postgresUrl, 1, () => undefined);
try {
  const index = new PostgresIndex(pool);
  const crawlId = '1';
  await askIndex(pool, crawlId);
  const started = performance.now();
  const batch = 200;
  for (let at = 0; at < pages; at += batch) {
    const some = Array.from({ length: Math.min(batch, pages - at) }, (_, step) => pageOf(at + step));
    await index.put({ crawlId, round: 0, looked: at, pages: some, gone: [] });
    if (at % 20_000 === 0) process.stderr.write(`${String(at)} pages\n`);
  }
  await index.settle();
  const indexMs = performance.now() - started;
  await pool.query('analyze search_page');
  const size = await pool.query<{ table: number; words: number }>(
    `select pg_table_size('search_page') as table, pg_relation_size('search_page_words') as words`,
  );

  const server = await pool.query<{ id: number }>('select pg_backend_pid() as id');
  /** Milliseconds; NaN where the system does not say. */
  const processorMs = (): number => {
    try {
      const stat = readFileSync(`/proc/${String(server.rows[0]?.id)}/schedstat`, 'utf8');
      return Number(stat.split(' ')[0]) / 1e6;
    } catch {
      return Number.NaN;
    }
  };

  const rank = (least: number, most: number): string => wordOf(least + Math.floor(random() * (most - least)));
  const phrase = (): string => `"${pageOf(0).text.split(' ').slice(3, 5).join(' ')}"`;
  const kinds: readonly [string, () => string][] = [
    ['a word that most pages have', () => rank(0, 5)],
    ['a common word (1 to 10 % of pages)', () => rank(40, 400)],
    ['a rare word', () => rank(20_000, 100_000)],
    ['two common words', () => `${rank(5, 100)} ${rank(5, 100)}`],
    ['three words', () => `${rank(5, 50)} ${rank(50, 500)} ${rank(500, 5_000)}`],
    ['a phrase of common words', () => `"${rank(0, 20)} ${rank(0, 20)}"`],
    ['a phrase from a page', phrase],
    ['a common word at one host', () => rank(5, 100)],
  ];
  const rows: string[][] = [];
  for (const [name, query] of kinds) {
    const times: number[] = [];
    const processor: number[] = [];
    let found = 0;
    for (let round = -5; round < rounds; round++) {
      const terms = readQuery(query());
      const filter = name.endsWith('host') ? { host: `https://host-${String(round + 5)}.example` } : {};
      const [from, used] = [performance.now(), processorMs()];
      const answer = await index.search({
        ...{
          crawls: [{ id: crawlId, looked: pages }],
          configs: ['english', 'german'],
          terms,
          filter,
          limit: 10,
          offset: 0,
        },
      });
      if (round < 0) continue;
      times.push(performance.now() - from);
      processor.push(processorMs() - used);
      found += answer.found;
    }
    const p95 = quantile(times, 0.95);
    const met = p95 < target;
    if (!met) process.exitCode = 1;
    rows.push([
      ...[name, quantile(times, 0.5).toFixed(1), p95.toFixed(1), Math.max(...times).toFixed(1)],
      ...[quantile(processor, 0.5).toFixed(1), quantile(processor, 0.95).toFixed(1)],
      ...[String(Math.round(found / rounds)), met ? 'met' : 'MISSED'],
    ]);
  }
  const [bytes] = size.rows;
  const perPage = (count: number): string => (count / pages).toFixed(0);
  process.stdout.write(
    [
      `${String(pages)} pages of some ${String(wordsOfPage)} words: ${(indexMs / pages).toFixed(2)} ms a page to index, ` +
        `${perPage(Number(bytes?.table))} bytes a page, and ${perPage(Number(bytes?.words))} in the index of words.`,
      '',
      table([
        [
          'search for',
          'median ms',
          'p95 ms',
          'most ms',
          'processor ms',
          'its p95',
          'found',
          `p95 < ${String(target)} ms`,
        ],
        ...rows,
      ]),
      '',
    ].join('\n'),
  );
} finally {
  await pool.end();
  await own.close();
}
