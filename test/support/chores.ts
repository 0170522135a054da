/** A round of a chore as a process makes it; rejects where a look fails. */
import type { Chore } from '../../engine/chores.ts';

export async function oneRound({ looks }: Chore): Promise<void> {
  for (const { run } of looks) while ((await run(() => true)) === true);
}
