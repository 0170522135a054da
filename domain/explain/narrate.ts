/**
 * Tells what happened to a URL in a crawl: turns the facts into an ordered list of decisions, each with its verdict and
 * why (G5). Pure. Nothing is left out and nothing invented: a code that is not known here is shown as it is.
 */
import { type Decision, note, span } from './decision.ts';
import type { ExplainFacts, RecrawlFacts } from './facts.ts';
import { filterDecisions } from './filters.ts';
import { historyDecisions } from './history.ts';
import { canonicalDecisions, foundDecisions } from './identity.ts';
import { priorityDecisions } from './priority.ts';
import { robotsDecisions } from './robots.ts';
import { stateOf } from './state.ts';
import { nextFetch, type NextFetch } from './waits.ts';
import { counted } from '../counted.ts';
import { regionWords } from '../regions.ts';
import { visitsThatTell } from '../recrawl/cold-start.ts';

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
    ...(stopped ? [] : regionDecisions(facts)),
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

function regionDecisions({ region }: ExplainFacts): Decision[] {
  if (region === undefined) return [];
  const { name, by, of, fetchedFrom } = region;
  const away = fetchedFrom === name ? '' : `, since no worker of ${name} is at work`;
  return [note('region', name, `The host is of ${regionWords(region)}${away}.`, { by, of, fetchedFrom })];
}

const dayMs = 86_400_000;

/** When a standing crawl fetches a URL again, and by what it goes. */
function recrawlDecisions({ recrawl, record }: ExplainFacts): Decision[] {
  if (recrawl === null || record === null) return [];
  const { pageClass, visits, rate, importance, nextDue, worth, price, leftOut } = recrawl;
  return [
    note('recrawl', pageClass, `${historyOf(recrawl)} ${nextOf(recrawl)}`, {
      visits,
      rate,
      importance,
      nextDue,
      worth,
      price,
      leftOut,
    }),
  ];
}

function historyOf({ visits, changedAt, rate }: RecrawlFacts): string {
  const seen = `It was visited ${counted(visits, 'time')}`;
  if (visits <= visitsThatTell) return `${seen}, too few to tell how often it changes.`;
  const last =
    changedAt === null ? 'and was never found changed' : `and was last found changed at ${changedAt}`;
  return `${seen} ${last}: it changes about once in ${span(dayMs / rate)}.`;
}

function nextOf({ pageClass, deadVisits, nextDue, price, leftOut, visits }: RecrawlFacts): string {
  if (nextDue === null)
    return deadVisits > 0
      ? 'It is gone, and is not asked for again.'
      : 'It is queued again, or the settings do not keep it fresh.';
  if (deadVisits > 1)
    return `It was found gone ${counted(deadVisits, 'time')} in a row, and is asked for again at ${nextDue}, as seldom as class ${pageClass} allows.`;
  if (deadVisits === 1) return `It is gone, and is asked for once more at ${nextDue}.`;
  if (visits <= visitsThatTell || price === null)
    return `It is due again at ${nextDue}, until its rate is known.`;
  if (leftOut)
    return `It changes too often for what it matters, and no visit is worth its price: it is due at ${nextDue}, from the part of the budget for such pages.`;
  return `It is due again at ${nextDue}, when a visit is worth its price, within the bounds of class ${pageClass}.`;
}
