/** What happened when, on the clock of the web's log. */
import type { Fault } from './plan.ts';

export interface Strike {
  readonly fault: Fault;
  /** Milliseconds: before the first act of the fault. */
  readonly from: number;
  /** When it was over: the part is up again, the line open, the disk free. Infinity: never seen. */
  readonly to: number;
  /** What was hit, or why nothing was. */
  readonly note: string;
  readonly hit: boolean;
  /** Authorities of hosts whose pause, which they had asked for, was in Postgres before the strike, so that nothing excuses its loss. */
  readonly heard: readonly string[];
  /** It was meant for a page with the browser, and met one. */
  readonly atPage: boolean;
}
