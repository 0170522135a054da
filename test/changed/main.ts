/**
 * `npm run changed`: runs the tests that a change can break, nearest first, as many as about half a minute holds, and says
 * how many it left out. Run `npm test` before a commit all the same: what a running crawl shows is no import.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { number, script, whole } from '../support/script.ts';
import { git, knownSeconds, modulesHere, reachedTests, takes, untracked } from './reached.ts';

const { since, seconds, steps, list } = script('changed', 'The tests that a change can break, nearest first.')
  .option(
    '--since <commit>',
    'the change is all since then; else what is not committed, else the last commit',
  )
  .option('--seconds <count>', 'that the tests may take, about', number(1), 25)
  .option('--steps <count>', 'from a declaration to one that uses it, to a test', whole(), 2)
  .option('--list', 'print the files, and run nothing')
  .parse()
  .opts<{ since?: string; seconds: number; steps: number; list?: true }>();

const isChanged = untracked().length > 0 || git('diff', '--name-only', 'HEAD') !== '';
const base = since ?? (isChanged ? 'HEAD' : 'HEAD~1');
const touched = new Map<string, number[] | null>(untracked().map((file) => [file, null]));
let file = '';
for (const line of git('diff', '-U0', '--no-renames', base).split('\n')) {
  if (line.startsWith('+++ ')) file = line.slice('+++ b/'.length);
  const [, first, count = '1'] = /^@@ \S+ \+(\d+)(?:,(\d+))?/u.exec(line) ?? [];
  if (first === undefined || file === '') continue;
  // Lines that are gone have touched the one before them.
  const lines = Array.from({ length: Math.max(1, Number(count)) }, (_, at) => Number(first) + at);
  touched.set(file, [...(touched.get(file) ?? []), ...lines]);
}

const known = knownSeconds();
const nearest = reachedTests(modulesHere(), touched, steps);
const chosen: string[] = [];
let left = seconds;
for (const [test] of nearest) {
  // The nearest one runs in any case.
  if (takes(test, known) > left && chosen.length > 0) continue;
  chosen.push(test);
  // Four files run side by side, on two cores.
  left -= takes(test, known) / 2;
}

const leftOut = nearest.length - chosen.length;
process.stdout.write(
  `${String(touched.size)} files changed since ${base}; ${String(nearest.length)} test files may notice.\n`,
);
if (leftOut > 0)
  process.stdout.write(`${String(leftOut)} of them are left out (--seconds ${String(seconds)}).\n`);
if (list) process.stdout.write(`${chosen.join('\n')}\n`);
else if (chosen.length > 0) {
  const vitest = path.join(import.meta.dirname, '..', '..', 'node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--tagsFilter', '!long && !deep', ...chosen],
    {
      cwd: path.join(import.meta.dirname, '..', '..'),
      stdio: 'inherit',
    },
  );
  process.exitCode = status ?? 1;
}
