/** One decision on a URL, as it is told. */

/** What a decision is about, in the order in which they are told. */
export const decisionSteps = [
  /** a rule of the canonical form that changed the spelling */
  'canonical',
  /** where it was found, how far from a seed */
  'found',
  /** whether it belongs to the crawl */
  'scope',
  /** filters and limits that a URL of the scope must pass */
  'filter',
  'robots',
  /** a request that ended without a final outcome */
  'attempt',
  /** the answer that counts */
  'fetch',
  'redirect',
  'duplicate',
  /** what was read in its body, or is still to be */
  'extract',
  'dead-letter',
  /** where it stands, or what would become of it if it were found now */
  'state',
  /** what stands between it and its next request */
  'wait',
] as const;
export type DecisionStep = (typeof decisionSteps)[number];

/** What the decision did: it let the URL pass, ended its way, holds it up, or only tells something. */
export const decisionEffects = ['pass', 'stop', 'wait', 'note'] as const;
export type DecisionEffect = (typeof decisionEffects)[number];

export interface Decision {
  readonly step: DecisionStep;
  /** A word of the step: a rule, a filter, a class, a state. Codes from elsewhere are given as they are. */
  readonly verdict: string;
  readonly effect: DecisionEffect;
  /** One sentence for people. */
  readonly because: string;
  /** The same in figures, for programs. */
  readonly detail: Readonly<Record<string, string | number | boolean | null>>;
}

export const counted = (n: number, one: string, many: string): string =>
  `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

/** `now` and `ms` from it, as ISO 8601. */
export const instantIn = (now: number, ms: number): string => new Date(now + ms).toISOString();

const units = [
  [86_400_000, 'day', 'days'],
  [3_600_000, 'hour', 'hours'],
  [60_000, 'minute', 'minutes'],
] as const;

/** A length of time in its largest whole unit, `0.25 s` below a minute. */
export function span(ms: number): string {
  for (const [length, one, many] of units) {
    if (ms >= length) return counted(Math.floor(ms / length), one, many);
  }
  return `${String(Math.round(ms) / 1_000)} s`;
}
