/**
 * Do the tests catch what they should? Applies the faults of faults.ts one at a time, in a working tree of their own of the
 * last commit, and runs the tests that may notice (test/changed/), nearest first: first what `npm test` runs, then what
 * `npm run verify` adds, then what `npm run deep` adds. Goes on where it was stopped (.cache/seeded.json). Run by
 * `npm run seeded`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { git } from '../changed/reached.ts';
import { oneOf, script } from '../support/script.ts';
import { Catching, tierNames, type Caught, type Tier } from './catching.ts';
import { faults } from './faults.ts';

/** So many of all faults `npm run verify` catches, and `npm run deep`, at least. */
const wanted = { test: 0, verify: 57, deep: 57 } as const;

interface Verdict {
  /** Null: no test has caught it. */
  readonly by: Caught | null;
  /** The last tier that was asked. */
  readonly asked: Tier;
  readonly seconds: number;
}

const { only, tier: last } = script(
  'seeded',
  'Do the tests catch sixty faults that are put into the product?',
)
  .option('--only <word>', 'faults that have it in their room, file or name', '')
  .option('--tier <name>', 'the last that is asked: test, verify or deep', oneOf(tierNames), 'deep' as Tier)
  .parse()
  .opts<{ only: string; tier: Tier }>();
const asked = tierNames.slice(0, tierNames.indexOf(last) + 1);
const isUpTo = (tier: Tier, other: Tier): boolean => tierNames.indexOf(tier) <= tierNames.indexOf(other);

const cache = path.join(import.meta.dirname, '..', '..', '.cache');
const results = path.join(cache, 'seeded.json');
mkdirSync(cache, { recursive: true });
const known = existsSync(results)
  ? (JSON.parse(readFileSync(results, 'utf8')) as Record<string, Verdict | undefined>)
  : {};

const commit = git('rev-parse', 'HEAD').trim();
const catching = new Catching(cache, commit);
const chosen = faults.filter(({ room, file, name }) => `${room} ${file} ${name}`.includes(only));
const verdicts = chosen.map((fault): Verdict => {
  const key = `${commit} ${fault.name}`;
  const before = known[key];
  const isKnown = before !== undefined && (before.by !== null || isUpTo(last, before.asked));
  const began = performance.now();
  const by = isKnown ? before.by : catching.by(fault, last);
  const seconds = isKnown ? before.seconds : Math.round((performance.now() - began) / 1_000);
  const verdict = isKnown ? before : { by, asked: last, seconds };
  known[key] = verdict;
  writeFileSync(results, JSON.stringify(known, null, 1));
  const told = by === null ? 'NOT CAUGHT' : `Caught by ${by.tier}, ${by.test}`;
  console.log(`${fault.room}: ${fault.name} ${told} (${String(seconds)} s)`);
  return verdict;
});
catching.close();

const missedBy = (tier: Tier): number =>
  verdicts.filter(({ by }) => by === null || !isUpTo(by.tier, tier)).length;
for (const tier of asked)
  console.log(`${tier} catches ${String(chosen.length - missedBy(tier))} of ${String(chosen.length)}`);
process.exitCode = asked.every((tier) => missedBy(tier) <= faults.length - wanted[tier]) ? 0 : 1;
