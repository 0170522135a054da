/** Which test catches a fault, in a working tree of their own. */
import { spawnSync } from 'node:child_process';
import { existsSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { git, isOnStack, modulesHere, reachedTests } from '../changed/reached.ts';
import type { Fault } from './faults.ts';

/** What a tier runs beside those before it, as tags of tests, and how its files are told by their text. */
const tiers = {
  test: { tags: '!long && !deep', text: /^/u },
  verify: { tags: 'long && !deep', text: /@module-tag long|tags: \[[^\]]*'long'/u },
  deep: { tags: 'deep', text: /@module-tag deep|tags: \[[^\]]*'deep'/u },
} as const;
export type Tier = keyof typeof tiers;
export const tierNames = Object.keys(tiers) as Tier[];

export interface Caught {
  readonly tier: Tier;
  readonly test: string;
}

/** From a fault to the tests that may notice; where that is too near for any, the nearest. */
const mostSteps = 3;
const furtherSteps = 6;
/** Milliseconds after which a test that waits in vain has failed. */
const mostMs = 120_000;

export class Catching {
  readonly #tree: string;
  readonly #report: string;
  readonly #log: number;
  readonly #modules = modulesHere();

  /** @param cache folder for the working tree, the log and what the tests report */
  constructor(cache: string, commit: string) {
    this.#tree = path.join(cache, 'seeded');
    this.#report = path.join(cache, 'seeded-report.json');
    this.#log = openSync(path.join(cache, 'seeded.log'), 'a');
    rmSync(this.#tree, { recursive: true, force: true });
    git('worktree', 'prune');
    git('worktree', 'add', '--quiet', '--detach', this.#tree, commit);
    symlinkSync(path.join(cache, '..', 'node_modules'), path.join(this.#tree, 'node_modules'));
  }

  close(): void {
    git('worktree', 'remove', '--force', this.#tree);
  }

  /** Null: no test does. @param last the last tier that is asked */
  by({ file, from, to }: Fault, last: Tier): Caught | null {
    const place = path.join(this.#tree, file);
    const text = readFileSync(place, 'utf8');
    const first = text.slice(0, text.indexOf(from)).split('\n').length;
    const lines = Array.from(from.trimEnd().split('\n'), (_, at) => first + at);
    const touched = new Map([[file, lines]]);
    const near = reachedTests(this.#modules, touched, mostSteps);
    const reached = near.length > 0 ? near : reachedTests(this.#modules, touched, furtherSteps);
    const seed = (isFaulty: boolean): void => {
      writeFileSync(place, isFaulty ? text.replace(from, () => to) : text);
    };
    try {
      for (const tier of tierNames.slice(0, tierNames.indexOf(last) + 1)) {
        const files = reached.filter(([test]) =>
          tiers[tier].text.test(readFileSync(path.join(this.#tree, test), 'utf8')),
        );
        // Few at a time, those without the stack first: most faults are caught near to where they are.
        const groups = Map.groupBy(files, ([test, steps]) => 2 * steps + Number(isOnStack(test)));
        for (const group of groups.values()) {
          const test = this.#first(
            group.map(([file]) => file),
            tiers[tier].tags,
            seed,
          );
          if (test !== null) return { tier, test };
        }
      }
      return null;
    } finally {
      seed(false);
    }
  }

  /**
   * The first test that fails with the fault, passes without it and, on the stack, fails with it once more: where the
   * machine is busy one may fail by chance.
   */
  #first(tests: readonly string[], tags: string, seed: (isFaulty: boolean) => void): string | null {
    let left = tests;
    while (left.length > 0) {
      seed(true);
      const failed = this.#failing(left, tags);
      if (failed === null) return null;
      seed(false);
      const passes = this.#failing([failed.file], tags) === null;
      seed(true);
      if (passes && (!isOnStack(failed.file) || this.#failing([failed.file], tags) !== null))
        return `${failed.file}: ${failed.name}`;
      console.log(`Fails without a fault as well, or not each time: ${failed.file}: ${failed.name}`);
      left = left.filter((test) => test !== failed.file);
    }
    return null;
  }

  #failing(tests: readonly string[], tags: string): { readonly file: string; readonly name: string } | null {
    rmSync(this.#report, { force: true });
    const vitest = path.join(this.#tree, 'node_modules', 'vitest', 'vitest.mjs');
    const asked = ['--tagsFilter', tags, '--bail', '1', '--testTimeout', String(mostMs)];
    const told = ['--reporter', 'json', '--outputFile', this.#report];
    const stdio = ['ignore', this.#log, this.#log] as const;
    spawnSync(process.execPath, [vitest, 'run', ...asked, ...told, ...tests], {
      cwd: this.#tree,
      stdio: [...stdio],
    });
    if (!existsSync(this.#report)) return { file: tests[0] ?? '', name: 'its process ended' };
    const { testResults } = JSON.parse(readFileSync(this.#report, 'utf8')) as {
      testResults: {
        name: string;
        status: string;
        assertionResults: { fullName: string; status: string }[];
      }[];
    };
    const failed = testResults.find(({ status }) => status === 'failed');
    if (failed === undefined) return null;
    const test = failed.assertionResults.find(({ status }) => status === 'failed');
    return { file: path.relative(this.#tree, failed.name), name: test?.fullName ?? 'its beginning' };
  }
}
