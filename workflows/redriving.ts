/** Redrives all dead letters of a host (G7), in many calls. */
import type { RedriveInput } from '../contracts/activities.ts';
import { addRedriven, isDeadLetterClass, noneRedriven, type RedriveCounts } from '../domain/dead-letter.ts';
import { redriveLetters } from './calls.ts';
import { orCancelled } from './cancelling.ts';

export async function redriveAll(input: RedriveInput): Promise<RedriveCounts> {
  let counts = noneRedriven;
  let after: string | null = null;
  do {
    const call: RedriveCounts & { readonly next: string | null } = await orCancelled(
      redriveLetters({ ...input, after }),
    );
    counts = addRedriven(counts, call);
    after = call.next;
  } while (after !== null);
  return counts;
}

/** Why an input of the update `redrive` is not valid; null: it is valid. */
export function choiceProblem(choice: unknown): string | null {
  if (choice === null || choice === undefined) return null;
  const form = 'the input must be null, {"class": "…"} or {"url": "…"}';
  if (typeof choice !== 'object' || Array.isArray(choice)) return form;
  for (const [name, value] of Object.entries(choice) as [string, unknown][]) {
    if (name !== 'class' && name !== 'url') return form;
    if (value !== null && typeof value !== 'string') return form;
    if (name === 'class' && value !== null && !isDeadLetterClass(value))
      return `there is no class ${JSON.stringify(value)} of dead letters`;
  }
  return null;
}
