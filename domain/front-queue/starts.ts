/**
 * How many places may be given whose first visit has not begun. A place that is given is a workflow that starts, and each
 * start waits in Temporal's queue behind all earlier ones, whoever they are for: fairness ends where a place is given. So
 * no more places wait there than are begun in two seconds, as fast as the last ticks have shown it.
 */

/** Carried from tick to tick. */
export interface Starts {
  /** Most places that wait for their first visit. */
  readonly window: number;
  /** Places that waited at the end of the last tick, and when that was, in milliseconds since 1970. */
  readonly waiting: number;
  readonly at: number;
}

const firstWindow = 40;
const fewest = 2;
const longestWaitS = 2;
/** Seconds between two ticks, as far as they are believed: clocks of processes differ, and a scheduler may have rested. */
const [shortestS, longestS] = [0.2, 10];

/**
 * The window after a look. While all places that were given have begun, nobody knows how many more would have: a window
 * that was used doubles. While some still wait, those that have begun show how fast they do, and the window goes half of
 * the way to that.
 * @param before null: this is the first look @param waiting places that wait for their first visit now
 */
export function startsAfter(before: Starts | null, waiting: number, at: number): Starts {
  if (before === null) return { window: firstWindow, waiting, at };
  const seconds = Math.min(longestS, Math.max(shortestS, (at - before.at) / 1_000));
  const shown = (Math.max(0, before.waiting - waiting) / seconds) * longestWaitS;
  const isUsed = before.waiting >= before.window / 2;
  const window = waiting > 0 ? (before.window + shown) / 2 : isUsed ? 2 * before.window : before.window;
  return { window: Math.max(fewest, Math.min(1_000_000, Math.round(window))), waiting, at };
}

/** Places that may be given now. */
export const mayStart = ({ window, waiting }: Starts): number => Math.max(0, window - waiting);
