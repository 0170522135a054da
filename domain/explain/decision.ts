/** One decision about a URL, as `explain` shows it. */
import { counted } from '../counted.ts';

/** What a decision is about, in the order in which decisions are shown. */
export const decisionSteps = [
  /** a rule of the canonical form that changed the spelling */
  'canonical',
  /** where the URL was found, and how far from a seed */
  'found',
  /** where the URL stands in line at its host */
  'priority',
  /** whether the URL belongs to the crawl */
  'scope',
  /** filters and limits that a URL inside the scope must pass */
  'filter',
  'robots',
  /** the region of the host, and from where it is fetched now */
  'region',
  /** a request that ended without a final outcome */
  'attempt',
  /** the answer that counts */
  'fetch',
  'redirect',
  /** what a browser made of the page, and what it was not given */
  'render',
  'duplicate',
  /** what was read in the body, or that the body still waits to be read */
  'extract',
  'dead-letter',
  /** when a standing crawl fetches the URL again, and by what it goes */
  'recrawl',
  /** the state of the URL, or what would become of a URL that was not met if it were found now */
  'state',
  /** what the next request for the URL waits for */
  'wait',
] as const;
export type DecisionStep = (typeof decisionSteps)[number];

/** What the decision did: let the URL pass, stopped it, makes it wait, or only notes a fact. */
export const decisionEffects = ['pass', 'stop', 'wait', 'note'] as const;
export type DecisionEffect = (typeof decisionEffects)[number];

export interface Decision {
  readonly step: DecisionStep;
  /** A code within the step: a rule, a filter, a class or a state. Unknown codes are shown as they are. */
  readonly verdict: string;
  readonly effect: DecisionEffect;
  /** One sentence for people. */
  readonly because: string;
  /** The same in figures, for programs. */
  readonly detail: Readonly<Record<string, string | number | boolean | null>>;
}

export const deciding =
  (effect: DecisionEffect) =>
  (step: DecisionStep, verdict: string, because: string, detail: Decision['detail'] = {}): Decision => ({
    step,
    verdict,
    effect,
    because,
    detail,
  });
export const pass = deciding('pass');
export const stop = deciding('stop');
export const wait = deciding('wait');
export const note = deciding('note');

/** One thing that the next request for a URL waits for. */
export interface Wait {
  readonly verdict: string;
  readonly because: string;
  /** Milliseconds from now until the wait is over; null: not known. */
  readonly inMs: number | null;
  /** Requests to the host that go first, at its pace. */
  readonly requests?: number;
}

/** The instant `ms` milliseconds after `now`, as ISO 8601. */
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
