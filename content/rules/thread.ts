/** The thread in which rules are applied (content/rules.ts). */
import { parentPort } from 'node:worker_threads';
import type { RuledPage } from '../../contracts/extraction.ts';
import type { PageRules } from '../../contracts/page-rules.ts';
import { readByRules } from './read.ts';

export interface RulesTask {
  readonly body: Uint8Array;
  readonly contentType: string | null;
  readonly url: string;
  readonly rules: PageRules;
}
/** `too-deep`: the stack was full. */
export type RulesAnswer = RuledPage | 'too-deep' | null;

function answer({ body, contentType, url, rules }: RulesTask): RulesAnswer {
  try {
    return readByRules(body, contentType, url, rules);
  } catch (error) {
    // The libraries go down a tree by calling themselves.
    if (error instanceof RangeError) return 'too-deep';
    throw error;
  }
}

parentPort?.on('message', (task: RulesTask) => parentPort?.postMessage(answer(task)));
