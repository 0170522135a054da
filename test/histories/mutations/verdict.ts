/** Replays saved histories on mutants. */
import { firstDifference, load, savedNames, workflowType, type SavedHistory } from '../saved-histories.ts';
import { mutatedCode } from './mutated-code.ts';
import type { Mutant } from './mutants.ts';

export interface Verdict {
  /** The saved history that found the mutant out; null: none did. */
  readonly caughtBy: string | null;
  /** The mutant sends other commands than the history has (true), or fails at once (false). */
  readonly differs: boolean;
}

export class Judge {
  readonly #bundle: string;
  /** Name, workflow type and history. The ones that caught the last mutants come first: neighbours are caught alike. */
  readonly #histories: (readonly [string, string, SavedHistory])[];

  constructor(bundle: string) {
    this.#bundle = bundle;
    this.#histories = savedNames().map((name) => {
      const history = load(name);
      return [name, workflowType(history), history];
    });
  }

  async judge(mutant: Pick<Mutant, 'path' | 'text' | 'types'>): Promise<Verdict> {
    const fitting = this.#histories.filter(([, type]) => mutant.types.includes(type));
    const code = mutatedCode(this.#bundle, mutant);
    const found = await firstDifference(
      code,
      fitting.map(([, , history]) => history),
    );
    const catching = found === null ? undefined : fitting[found.at];
    if (found === null || catching === undefined) return { caughtBy: null, differs: false };
    this.#histories.splice(this.#histories.indexOf(catching), 1);
    this.#histories.unshift(catching);
    return {
      caughtBy: catching[0],
      differs: /nondeterminism|TMPRL1100/i.test(found.error.message),
    };
  }
}
