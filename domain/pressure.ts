/**
 * Backpressure: how much slower the stages before a full one should work. From four fifths of a stage's capacity on they
 * slow down in a straight line, and at its capacity they stand still. There are no two thresholds: what comes in falls
 * as a queue grows, so a queue settles where as much comes in as the stage takes away.
 */

export interface StageLoad {
  readonly stage: StageName;
  readonly used: number;
  readonly capacity: number;
}

/**
 * unread: fetched pages that wait to be read. rows: rows of this process that wait for their commit. commit:
 * milliseconds that a commit takes. store: bytes of this process that wait for the disk.
 */
export const stageNames = ['unread', 'rows', 'commit', 'store'] as const;
export type StageName = (typeof stageNames)[number];

/** The share of its capacity from which on a stage slows down those before it. */
const easyShare = 0.8;

/** The share of its usual pace that is left to what comes before a stage: from 1 down to 0. */
export function paceLeft({ used, capacity }: Pick<StageLoad, 'used' | 'capacity'>): number {
  const share = used / capacity;
  return Math.max(0, Math.min(1, (1 - share) / (1 - easyShare)));
}

/** That of the fullest stage. */
export const leastPace = (loads: readonly StageLoad[]): number =>
  loads.reduce((least, load) => Math.min(least, paceLeft(load)), 1);

/**
 * Milliseconds between two pieces of work so that only the share `pace` of them is done; Infinity: none is.
 * @param everyMs milliseconds from one to the next at the usual pace
 */
export const slowedMs = (everyMs: number, pace: number): number => (pace <= 0 ? Infinity : everyMs / pace);

/** What was measured so many milliseconds ago says less and less: half as much every two seconds. */
export const fading = (value: number, agoMs: number): number => value * 0.5 ** (agoMs / 2_000);
