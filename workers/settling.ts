/** Brings closed segments to where they stay: a chore of a process that has the folder of open segments. */
import type { Chore } from '../engine/chores.ts';
import type { SegmentUpkeep } from '../storage/archive/index.ts';

/**
 * A failure stops nobody: a segment that could not be brought is read where it is, and the disk's own watch sees to it that
 * it does not become full.
 */
export const settling = (
  upkeep: Pick<SegmentUpkeep, 'settle' | 'tidy'>,
  everyMs = 5_000,
): readonly Chore[] => [
  {
    everyMs,
    longestMs: 300_000,
    looks: [
      {
        run: (goesOn) => upkeep.settle(goesOn),
        fault: 'a closed segment could not be uploaded',
        warns: true,
      },
    ],
  },
  {
    everyMs: 3_600_000,
    looks: [
      {
        run: () => upkeep.tidy(),
        fault: 'what was begun long ago at the place of segments, and never ended, could not be removed',
        warns: true,
      },
    ],
  },
];
