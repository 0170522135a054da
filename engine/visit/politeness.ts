/** What the pacers of this process measure of their own politeness, and that Postgres learns of it. */
import { notePoliteness } from '../../storage/instance/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import type { Chore } from '../chores.ts';
import { count, noteLeast } from '../metrics/counters.ts';

/** What Postgres has not been told yet. */
let untold = { gap: Infinity, tooSoon: 0 };

/** A request has left. @param gap seconds since the answer before, of a host with a delay; null: there was none */
export function noteDeparture(gap: number | null, isTooSoon: boolean): void {
  if (isTooSoon) count('requests_early_total', {});
  if (gap !== null) noteLeast('smallest_gap_seconds', gap);
  untold = { gap: Math.min(untold.gap, gap ?? Infinity), tooSoon: untold.tooSoon + Number(isTooSoon) };
}

export const tellingPoliteness = (pool: Pool): Chore => ({
  everyMs: 5_000,
  hasLast: true,
  looks: [
    {
      run: async () => {
        const told = untold;
        if (told.gap === Infinity && told.tooSoon === 0) return;
        await notePoliteness(pool, told.gap === Infinity ? null : told.gap, told.tooSoon);
        // Requests have left meanwhile. A gap that is told twice changes nothing.
        untold = { ...untold, tooSoon: untold.tooSoon - told.tooSoon };
        if (untold.gap === told.gap) untold.gap = Infinity;
      },
      fault: 'this worker could not say how politely it asks',
      warns: true,
    },
  ],
});
