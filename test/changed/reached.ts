/** The tests of this working tree that a change may break: by imports (reach.ts), and those of what no import leads to. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { reach, readModule, type Module, type Modules, type Touched } from './reach.ts';

const [storage, activities, api] = ['storage', 'activities', 'api'].map(
  (folder) => (names: string) => names.split(' ').map((name) => `test/integration/${folder}/${name}`),
) as [Beginnings, Beginnings, Beginnings];
type Beginnings = (names: string) => string[];

/**
 * Tests of what no import leads to: what is changed, how many steps away they count, and how their paths begin. What a
 * statement does is seen through many files, and what a workflow does through none.
 */
const also: readonly (readonly [changed: RegExp, steps: number, beginnings: readonly string[]])[] = [
  [/^storage\/migrations\//u, 1, [...storage('schema.'), 'test/storage/many-hosts.']],
  [/\.sql\.ts$/u, 1, [...storage('statements.'), 'test/storage/many-hosts.', 'test/storage/lock-orders.']],
  [/^workflows\//u, 1, ['test/histories/replay.']],
  [/^(?:docs|cli|config|api\/routes)\/|\.md$/u, 1, ['test/docs/readme.', 'test/docs/routes.']],
  [/^workflows\//u, 2, ['test/integration/workflows/']],
  [/^(?:cli|stack|workers)\//u, 2, ['test/stack/', 'test/cli/', 'test/workers/']],
  [
    /^storage\/(?:leases|frontier|feeding)\//u,
    2,
    storage('lock-order. host-lease. reclaim-urls. lost-visits.'),
  ],
  [
    /^storage\/(?:leases|hosts)\/|^engine\/visit\//u,
    2,
    activities('gates. lease. pace. frozen. opt-out. robots'),
  ],
  [/^storage\/frontier\//u, 2, [...storage('ledger. lease-urls.'), ...activities('commits. outcomes.')]],
  [
    /^storage\/feeding\//u,
    2,
    [...storage('feeding. own-turns.'), ...activities('feed. fairness. lent-turns.')],
  ],
  [/^(?:storage|engine)\/lending\//u, 2, [...activities('lent'), ...api('frontier')]],
  [/^(?:storage|engine)\/exports\//u, 2, api('export')],
  [/^storage\/tenancy\//u, 2, api('tenants. keys. limits. access. audit-log. idempotency.')],
];

/** What a file takes that was never run here: a unit test, and one on the stack. */
const guessS = { unit: 0.5, stack: 6 };

const root = path.join(import.meta.dirname, '..', '..');

export const git = (...command: readonly string[]): string =>
  execFileSync('git', command, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });

export const untracked = (): string[] =>
  git('ls-files', '--others', '--exclude-standard').split('\n').filter(Boolean);

/** All TypeScript of the working tree. */
export function modulesHere(): Modules {
  const sources = [...git('ls-files', '*.ts').split('\n'), ...untracked()];
  const modules = new Map<string, Module>();
  for (const source of sources) {
    if (!source.endsWith('.ts') || !existsSync(path.join(root, source))) continue;
    const resolve = (specifier: string): string => path.posix.join(path.posix.dirname(source), specifier);
    modules.set(source, readModule(readFileSync(path.join(root, source), 'utf8'), resolve));
  }
  return modules;
}

/** Test files, nearest first and of those equally near the fast ones, each with its steps away. */
export function reachedTests(
  modules: Modules,
  touched: Touched,
  most: number,
): readonly (readonly [test: string, steps: number])[] {
  const reached = reach(modules, touched, most);
  const tests = [...modules.keys()].filter((each) => each.endsWith('.test.ts'));
  for (const changed of touched.keys()) {
    for (const [pattern, steps, beginnings] of also) {
      if (steps > most || !pattern.test(changed)) continue;
      for (const test of tests.filter((each) => beginnings.some((beginning) => each.startsWith(beginning))))
        reached.set(test, Math.min(steps, reached.get(test) ?? steps));
    }
  }
  const known = knownSeconds();
  return [...reached].toSorted(
    ([a, stepsA], [b, stepsB]) => stepsA - stepsB || takes(a, known) - takes(b, known),
  );
}

export const isOnStack = (test: string): boolean => /^test\/(?:integration|e2e)\//u.test(test);

/** Seconds of a test file, about. @param known as `knownSeconds` answers them */
export const takes = (test: string, known: ReadonlyMap<string, number>): number =>
  known.get(test) ?? (isOnStack(test) ? guessS.stack : guessS.unit);

/** Seconds that each file took when it was last run here. */
export function knownSeconds(): Map<string, number> {
  const cache = path.join(
    root,
    'node_modules/.vite/vitest/da39a3ee5e6b4b0d3255bfef95601890afd80709/results.json',
  );
  const found = new Map<string, number>();
  if (!existsSync(cache)) return found;
  const { projects } = JSON.parse(readFileSync(cache, 'utf8')) as {
    projects: Record<string, { files: Record<string, { duration: number }> }>;
  };
  for (const { files } of Object.values(projects)) {
    for (const [test, { duration }] of Object.entries(files)) found.set(test, duration / 1_000);
  }
  return found;
}
