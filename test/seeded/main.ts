/**
 * Do the tests catch what they should? Applies the faults of faults.ts one at a time, in a working tree of their own of the
 * last commit, and runs the tests that may notice (test/changed/), nearest first: first what `npm test` runs, then what
 * `npm run verify` adds, then what `npm run deep` adds. The first test that fails, and passes without the fault, has caught
 * it. Goes on where it was stopped (.cache/seeded.json). Run by `npm run seeded`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { git, isOnStack, modulesHere, reachedTests } from '../changed/reached.ts';
import { oneOf, script } from '../support/script.ts';
import { faults, type Fault } from './faults.ts';

/** So many faults `npm run verify` catches, and `npm run deep`, at least. */
const wanted = { verify: 50, deep: 57 };
/** From a fault to the tests that may notice. */
const mostSteps = 3;

/** What a tier runs beside those before it, as tags of tests, and how its files are told by their text. */
const tiers = {
  test: { tags: '!long && !deep', isIn: () => true },
  verify: {
    tags: 'long && !deep',
    isIn: (text: string) => /@module-tag long|tags: \[[^\]]*'long'/u.test(text),
  },
  deep: { tags: 'deep', isIn: (text: string) => /@module-tag deep|tags: \[[^\]]*'deep'/u.test(text) },
} as const;
const tierNames = Object.keys(tiers) as (keyof typeof tiers)[];
type Tier = (typeof tierNames)[number];

interface Caught {
  readonly tier: Tier;
  readonly test: string;
}
interface Verdict {
  /** Null: no test has. */
  readonly by: Caught | null;
  /** The last tier that was asked. */
  readonly asked: Tier;
  readonly seconds: number;
}

const { only, tier: last } = script(
  'seeded',
  'Do the tests catch sixty faults that are put into the product?',
)
  .option('--only <word>', 'faults that have it in their name, room or file', '')
  .option('--tier <name>', 'the last that is asked: test, verify or deep', oneOf(tierNames), 'deep' as Tier)
  .parse()
  .opts<{ only: string; tier: Tier }>();

const root = path.join(import.meta.dirname, '..', '..');
const cache = path.join(root, '.cache');
const tree = path.join(cache, 'seeded');
const results = path.join(cache, 'seeded.json');
const report = path.join(cache, 'seeded-report.json');
mkdirSync(cache, { recursive: true });
const log = openSync(path.join(cache, 'seeded.log'), 'a');

const commit = git('rev-parse', 'HEAD').trim();
rmSync(tree, { recursive: true, force: true });
git('worktree', 'prune');
git('worktree', 'add', '--quiet', '--detach', tree, commit);
symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'));
const modules = modulesHere();

/** The first test that fails, and its file; null: none does. */
function failing(
  tests: readonly string[],
  tags: string,
): { readonly file: string; readonly name: string } | null {
  rmSync(report, { force: true });
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const told = ['--tagsFilter', tags, '--bail', '1', '--reporter', 'json', '--outputFile', report];
  spawnSync(process.execPath, [vitest, 'run', ...told, ...tests], { cwd: tree, stdio: ['ignore', log, log] });
  if (!existsSync(report)) return { file: tests[0] ?? '', name: 'no test could be run' };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[];
  };
  const [failed] = testResults.filter(({ status }) => status === 'failed');
  if (failed === undefined) return null;
  const name =
    failed.assertionResults.find(({ status }) => status === 'failed')?.fullName ?? 'its own beginning';
  return { file: path.relative(tree, failed.name), name };
}

function caughtBy({ file, from, to }: Fault): Caught | null {
  const place = path.join(tree, file);
  const text = readFileSync(place, 'utf8');
  const first = text.slice(0, text.indexOf(from)).split('\n').length;
  const lines = from
    .trimEnd()
    .split('\n')
    .map((_, at) => first + at);
  const reached = reachedTests(modules, new Map([[file, lines]]), mostSteps);
  const write = (isFaulty: boolean): void => {
    writeFileSync(place, isFaulty ? text.replace(from, () => to) : text);
  };
  try {
    for (const tier of tierNames.slice(0, tierNames.indexOf(last) + 1)) {
      const { tags, isIn } = tiers[tier];
      const files = reached.filter(([test]) => isIn(readFileSync(path.join(tree, test), 'utf8')));
      // Few at a time, those without the stack first: most faults are caught near to where they are.
      for (const [, group] of Map.groupBy(files, ([test, steps]) => 2 * steps + Number(isOnStack(test)))) {
        let left = group.map(([test]) => test);
        while (left.length > 0) {
          write(true);
          const failed = failing(left, tags);
          if (failed === null) break;
          write(false);
          if (failing([failed.file], tags) === null) return { tier, test: `${failed.file}: ${failed.name}` };
          console.log(`fails without the fault as well: ${failed.file}: ${failed.name}`);
          left = left.filter((test) => test !== failed.file);
        }
      }
    }
    return null;
  } finally {
    write(false);
  }
}

const known = existsSync(results)
  ? (JSON.parse(readFileSync(results, 'utf8')) as Record<string, Verdict | undefined>)
  : {};
const chosen = faults.filter((fault) => `${fault.room} ${fault.file} ${fault.name}`.includes(only));
const verdicts = chosen.map((fault): Verdict => {
  const key = `${commit} ${fault.name}`;
  const before = known[key];
  const isKnown =
    before !== undefined &&
    (before.by !== null || tierNames.indexOf(before.asked) >= tierNames.indexOf(last));
  const began = performance.now();
  const by = isKnown ? before.by : caughtBy(fault);
  const verdict = isKnown
    ? before
    : { by, asked: last, seconds: Math.round((performance.now() - began) / 1_000) };
  known[key] = verdict;
  writeFileSync(results, JSON.stringify(known, null, 1));
  const told = by === null ? 'NOT CAUGHT' : `caught by ${by.tier}, ${by.test}`;
  console.log(`${fault.room}: ${fault.name} ${told} (${String(verdict.seconds)} s)`);
  return verdict;
});
git('worktree', 'remove', '--force', tree);

const caughtUpTo = (tier: Tier): number =>
  verdicts.filter(({ by }) => by !== null && tierNames.indexOf(by.tier) <= tierNames.indexOf(tier)).length;
for (const tier of tierNames.slice(0, tierNames.indexOf(last) + 1))
  console.log(`${tier} catches ${String(caughtUpTo(tier))} of ${String(chosen.length)}`);
const isEnough = (tier: keyof typeof wanted): boolean =>
  tierNames.indexOf(tier) > tierNames.indexOf(last) ||
  chosen.length - caughtUpTo(tier) <= faults.length - wanted[tier];
process.exitCode = isEnough('verify') && isEnough('deep') ? 0 : 1;
