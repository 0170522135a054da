/**
 * `npm run changed`: runs the tests that a change can break, nearest first, as many as about half a minute holds, and says
 * how many it left out. Run `npm test` before a commit all the same: what a running crawl shows is no import.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { number, script, whole } from '../support/script.ts';
import { reach, readModule, type Module } from './reach.ts';

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

/** Tests of what no import leads to. */
const also: readonly (readonly [changed: RegExp, ...tests: string[]])[] = [
  [/^storage\/migrations\//u, 'test/integration/storage/schema.test.ts', 'test/storage/many-hosts.test.ts'],
  [/\.sql\.ts$/u, 'test/integration/storage/statements.test.ts', 'test/storage/many-hosts.test.ts'],
  [/^workflows\//u, 'test/histories/replay.test.ts'],
  [/^(?:docs|cli|config|api\/routes)\/|\.md$/u, 'test/docs/readme.test.ts', 'test/docs/routes.test.ts'],
];
/** What a file takes that was never run here: a unit test, and one on the stack. */
const guessS = { unit: 0.5, stack: 6 };

const root = path.join(import.meta.dirname, '..', '..');
const git = (...command: readonly string[]): string =>
  execFileSync('git', command, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
const untracked = git('ls-files', '--others', '--exclude-standard').split('\n').filter(Boolean);

const base = since ?? (untracked.length > 0 || git('diff', '--name-only', 'HEAD') !== '' ? 'HEAD' : 'HEAD~1');
const touched = new Map<string, number[] | null>(untracked.map((file) => [file, null]));
let file = '';
for (const line of git('diff', '-U0', '--no-renames', base).split('\n')) {
  if (line.startsWith('+++ ')) file = line.slice('+++ b/'.length);
  const [, first, count = '1'] = /^@@ \S+ \+(\d+)(?:,(\d+))?/u.exec(line) ?? [];
  if (first === undefined || file === '') continue;
  // Lines that are gone have touched the one before them.
  const lines = Array.from({ length: Math.max(1, Number(count)) }, (_, at) => Number(first) + at);
  touched.set(file, [...(touched.get(file) ?? []), ...lines]);
}

const sources = [...git('ls-files', '*.ts').split('\n'), ...untracked.filter((each) => each.endsWith('.ts'))];
const modules = new Map<string, Module>();
for (const source of sources) {
  if (source === '' || !existsSync(path.join(root, source))) continue;
  const resolve = (specifier: string): string => path.posix.join(path.posix.dirname(source), specifier);
  modules.set(source, readModule(readFileSync(path.join(root, source), 'utf8'), resolve));
}

const reached = reach(modules, touched, steps);
for (const changed of touched.keys()) {
  for (const [pattern, ...tests] of also) {
    if (pattern.test(changed))
      for (const test of tests) reached.set(test, Math.min(1, reached.get(test) ?? 1));
  }
}

/** Seconds that each file took when it was last run here. */
function knownSeconds(): Map<string, number> {
  const found = new Map<string, number>();
  const cache = path.join(
    root,
    'node_modules',
    '.vite',
    'vitest',
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    'results.json',
  );
  if (!existsSync(cache)) return found;
  const { projects } = JSON.parse(readFileSync(cache, 'utf8')) as {
    projects: Record<string, { files: Record<string, { duration: number }> }>;
  };
  for (const { files } of Object.values(projects)) {
    for (const [test, { duration }] of Object.entries(files)) found.set(test, duration / 1_000);
  }
  return found;
}

const known = knownSeconds();
const isOnStack = (test: string): boolean => /^test\/(?:integration|e2e)\//u.test(test);
const takes = (test: string): number => known.get(test) ?? (isOnStack(test) ? guessS.stack : guessS.unit);
const nearest = [...reached].toSorted(([a, stepsA], [b, stepsB]) => stepsA - stepsB || takes(a) - takes(b));
const chosen: string[] = [];
let left = seconds;
for (const [test] of nearest) {
  // The nearest one runs in any case.
  if (takes(test) > left && chosen.length > 0) continue;
  chosen.push(test);
  // Four files run side by side, on two cores.
  left -= takes(test) / 2;
}

const leftOut = nearest.length - chosen.length;
process.stdout.write(
  `${String(touched.size)} files changed since ${base}; ${String(nearest.length)} test files may notice.\n`,
);
if (leftOut > 0)
  process.stdout.write(`${String(leftOut)} of them are left out (--seconds ${String(seconds)}).\n`);
if (list) process.stdout.write(`${chosen.join('\n')}\n`);
else if (chosen.length > 0) {
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--tagsFilter', '!long && !deep', ...chosen],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
  process.exitCode = status ?? 1;
}
