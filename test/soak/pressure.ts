/**
 * `npm run soak:pressure`: crawls of a synthetic web by the whole product, while one stage behind the fetchers is slow:
 * reading, the disk, the database. Shows that what waits stays bounded, that nothing is lost, and that as many pages are
 * fetched as the slow stage takes. Prints a table; exits 1 where one of these does not hold.
 */
import path from 'node:path';
import { stageNames, type StageName } from '../../domain/pressure.ts';
import type { AuditView } from '../../contracts/http/results.ts';
import { table } from '../../bench/figures.ts';
import { slowResults } from '../support/database/index.ts';
import { number, script } from '../support/script.ts';
import { expectedOf } from '../web/expected.ts';
import { judge } from '../web/judge.ts';
import type { RequestRecord } from '../web/log.ts';
import { spawnWeb } from '../web/spawn.ts';
import { readFullest, setSlowness, setSoakFolder, type Fullest } from './slowness.ts';
import { openSoakStack, type SoakStack } from './stack.ts';

const { seconds, pace } = script('soak:pressure', 'Crawls while one stage behind the fetchers is slow.')
  .option('--seconds <count>', 'that each part takes at least', number(10), 40)
  .option('--pace <count>', 'pages a second of the slow stage', number(1), 15)
  .parse()
  .opts<{ seconds: number; pace: number }>();

const hosts = 24;
const pageBytes = 60_000;
/** Small, so that they are reached in a short soak. */
const capacities: Readonly<Partial<Record<StageName, number>>> = {
  unread: 200,
  store: 1024 ** 2,
  commit: 500,
  rows: 20_000,
};
/** What the requests may bring that were under way when a stage was full: one for each host. */
const underWay: Readonly<Partial<Record<StageName, number>>> = {
  unread: hosts,
  store: hosts * pageBytes * 2,
  commit: (hosts * 1_000) / pace,
  rows: hosts * 200,
};
/** How far the pace may be off that of the slow stage: timers are late on a busy machine, commits wait for others. */
const [slowest, fastest] = [0.7, 1.15];

interface Part {
  readonly name: 'usual' | 'reading' | 'disk' | 'database';
  readonly stage: StageName | null;
}
const parts: readonly Part[] = [
  { name: 'usual', stage: null },
  { name: 'reading', stage: 'unread' },
  { name: 'disk', stage: 'store' },
  { name: 'database', stage: 'commit' },
];

const isPage = ({ url }: RequestRecord): boolean => new URL(url).pathname !== '/robots.txt';

/** Pages a second, without the beginning, while the queues fill, and the end. */
function paceOf(log: readonly RequestRecord[]): number {
  const starts = log.filter(isPage).map(({ start }) => start);
  const [from, to] = [Math.floor(starts.length * 0.4), Math.floor(starts.length * 0.95)];
  return ((to - from) * 1_000) / ((starts[to] ?? 0) - (starts[from] ?? 0));
}

interface Result {
  readonly part: Part;
  readonly pages: number;
  readonly pace: number;
  readonly fullest: Fullest;
  readonly faults: readonly string[];
}

async function run(stack: SoakStack, part: Part, seed: number): Promise<Result> {
  const ms = 1_000 / pace;
  const slow = (name: Part['name']): number => (part.name === name ? ms : 0);
  setSlowness(stack.folder, { phase: part.name, readMs: slow('reading'), diskMs: slow('disk') });
  await slowResults(stack.pool, slow('database'));
  const pages = Math.ceil((seconds * pace) / hosts);
  const web = await spawnWeb({ seed, hosts, pages, bytes: pageBytes, latencyMs: 5 });
  try {
    const id = await stack.start(web.seeds, { scope: 'any', delaySeconds: 0 });
    const shown = { slow: false };
    const end = await stack.ended(id, (view) => {
      shown.slow ||= view.stages.some(({ stage, pace: left }) => stage === part.stage && left < 1);
    });
    const fullest = readFullest(stack.folder, part.name);
    const { differences } = (await stack.ask(`/v1/crawls/${id}/audit`)) as AuditView;
    const log = await web.log();
    const { missing } = judge(log, { delayMs: 0, expected: expectedOf(web.plan) });
    const reached = paceOf(log);
    const { queued, leased, failed, dead } = end.ledger;
    const faults = [
      ...(end.state === 'finished' && end.cause === 'complete' ? [] : [`the crawl ended as ${end.state}`]),
      ...(queued + leased + failed + dead + end.pending === 0 ? [] : ['URLs are left or lost']),
      ...(end.pages === hosts * pages ? [] : [`${String(end.pages)} pages of ${String(hosts * pages)}`]),
      ...missing.map((url) => `never answered: ${url}`),
      ...differences.map(
        ({ check, expected, actual }) => `${check}: ${String(actual)} for ${String(expected)}`,
      ),
      ...stageNames.flatMap((stage) => {
        const [most, used] = [capacities[stage], fullest[stage] ?? 0];
        return most === undefined || used <= most + (underWay[stage] ?? 0)
          ? []
          : [`${stage}: ${used.toFixed(0)} of ${String(most)}`];
      }),
      ...(part.stage === null || (reached >= pace * slowest && reached <= pace * fastest)
        ? []
        : [`${reached.toFixed(1)} pages a second where the stage takes ${String(pace)}`]),
      ...(part.stage === null || shown.slow
        ? []
        : ['the crawl’s status never showed that the stage slows fetching down']),
    ];
    return { part, pages: end.pages, pace: reached, fullest, faults };
  } finally {
    await web.stop();
  }
}

const stack = await openSoakStack(
  {
    ORBWEAVER_UNREAD_PAGES: String(capacities.unread),
    ORBWEAVER_STORE_MB: '1',
    ORBWEAVER_COMMIT_MS: String(capacities.commit),
    ORBWEAVER_WAITING_ROWS: String(capacities.rows),
  },
  ['worker'],
  path.join(import.meta.dirname, 'slowed-worker.ts'),
  (folder) => {
    setSoakFolder(folder);
    setSlowness(folder, { phase: 'start', readMs: 0, diskMs: 0 });
  },
);
const results: Result[] = [];
try {
  for (const [at, part] of parts.entries()) {
    process.stderr.write(`${part.name}…\n`);
    results.push(await run(stack, part, at + 1));
  }
} finally {
  await stack.close();
}

const head = [
  'slow',
  'pages',
  'pages/s',
  'of the stage',
  ...Object.keys(capacities).map((stage) => `most ${stage}`),
];
const rows = results.map(({ part, pages, pace: reached, fullest }) => [
  ...[part.name, String(pages), reached.toFixed(1)],
  part.stage === null ? '' : `${((reached / pace) * 100).toFixed(0)} %`,
  ...Object.entries(capacities).map(([stage, most]) => {
    const used = fullest[stage as StageName] ?? 0;
    return `${used.toFixed(0)} of ${String(most)}`;
  }),
]);
process.stdout.write(`${table([head, ...rows])}\n`);
for (const { part, faults } of results)
  for (const fault of faults.slice(0, 10)) process.stdout.write(`✗ ${part.name}: ${fault}\n`);
process.exitCode = results.some(({ faults }) => faults.length > 0) ? 1 : 0;
