/** What is known of one reason to wait, whoever tells it. */
import type { Wait } from '../explain/decision.ts';
import type { ExplainFacts } from '../explain/facts.ts';

/** Who can change it: the hosts and what they ask for, somebody's settings, or this installation. */
export type Blame = 'host' | 'settings' | 'ours';

export interface Reason {
  /** Who is to blame for the time that is counted under this name (time-lost.ts); absent: none is counted. */
  readonly blame?: Blame;
  /** What the time went into, in words. */
  readonly means?: string;
  /** What the page of a host in Temporal Web says while the host is left alone for it; absent: another reason says it. */
  readonly desk?: string;
  /** What `explain` says of a URL that waits for it; null: the URL does not. Absent: another reason says it. */
  readonly explain?: (facts: ExplainFacts) => Wait | null;
}
