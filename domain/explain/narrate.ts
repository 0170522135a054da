/**
 * Tells what happened to a URL in a crawl: turns the facts into an ordered list of decisions, each with its verdict and
 * why (G5). Pure. Nothing is left out and nothing invented: a code that is not known here is shown as it is.
 */
import type { Decision } from './decision.ts';
import type { ExplainFacts } from './facts.ts';
import { filterDecisions } from './filters.ts';
import { historyDecisions } from './history.ts';
import { canonicalDecisions, foundDecisions } from './identity.ts';
import { priorityDecisions } from './priority.ts';
import { recrawlDecisions } from './recrawl.ts';
import { robotsDecisions } from './robots.ts';
import { stateOf } from './state.ts';
import { nextFetch, type NextFetch } from './waits.ts';

export interface Narration {
  /** The answer in one sentence or two. */
  readonly summary: string;
  /** In the order of `decisionSteps`. */
  readonly decisions: readonly Decision[];
  /** When the URL will be fetched and what it waits for; null: it will not be fetched (again). */
  readonly next: { readonly at: string | null; readonly because: readonly string[] } | null;
}

export function narrate(facts: ExplainFacts): Narration {
  const filters = filterDecisions(facts);
  // For a URL that does not pass the filters, robots.txt is never asked.
  const stopped = facts.record === null && filters.some(({ effect }) => effect === 'stop');
  const before = [
    ...canonicalDecisions(facts),
    ...foundDecisions(facts),
    ...priorityDecisions(facts),
    ...filters,
    ...(stopped ? [] : robotsDecisions(facts)),
    ...historyDecisions(facts),
    ...recrawlDecisions(facts),
  ];
  const fetched = nextFetch(facts);
  const state = stateOf(facts, before, fetched);
  const next = state.effect === 'wait' ? fetched : null;
  return {
    summary: summaryOf(state, next),
    decisions: [...before, state, ...(next?.waits ?? [])],
    next: next === null ? null : { at: next.at, because: next.waits.map(({ because }) => because) },
  };
}

/** The state of the URL and, if it waits, the weightiest reason. */
function summaryOf(state: Decision, next: NextFetch | null): string {
  const first = next?.waits[0]?.because ?? state.because;
  return first === state.because ? state.because : `${state.because} ${first}`;
}
