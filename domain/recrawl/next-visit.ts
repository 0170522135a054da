/** When a page that was just visited is due again, and why. Times are in days. */
import type { PageState } from './page-state.ts';
import { coldStartDays, visitsThatTell } from './cold-start.ts';
import { changeRates, classOf, type ChangeFreq, type Intervals, type PageClass } from './page-class.ts';
import { intervalOf, type Plan } from './plan.ts';
import { estimateRate } from './rate.ts';

/** What holds for all pages of a crawl at a moment. */
export interface VisitRules {
  /** Null: there is no plan yet, since too little is known. */
  readonly plan: Pick<Plan, 'price' | 'leftOutDays'> | null;
  /** Changes a day to expect of a page of which nothing is known. */
  readonly typical: number;
  /** Days between two visits if the budget were shared evenly: where a page begins. */
  readonly even: number;
  readonly tolerance: number;
  readonly intervals: Intervals;
}

export interface NextVisit {
  readonly pageClass: PageClass;
  readonly rate: number;
  readonly inDays: number;
}

/**
 * A page that is gone is looked at once more after so many days, since some come back; after that it is looked at as
 * seldom as its class allows, and not more often than this.
 */
const deadDays = 7;

export function nextVisit(
  page: PageState,
  said: { readonly isNews: boolean; readonly changefreq: ChangeFreq | null },
  rules: VisitRules,
): NextVisit {
  const expected = said.changefreq === null ? rules.typical : changeRates[said.changefreq];
  const rate = estimateRate(page.history, expected);
  const tells = page.visits > visitsThatTell;
  const pageClass = classOf(said.isNews, said.changefreq, page.history, tells ? rate : null);
  const bounds = rules.intervals[pageClass];
  if (page.deadVisits > 0) {
    const inDays = page.deadVisits === 1 ? deadDays : Math.max(deadDays, bounds.ceiling);
    return { pageClass, rate, inDays };
  }
  if (tells && rules.plan !== null) {
    const bounded = { importance: page.importance, rate, ...bounds };
    return { pageClass, rate, inDays: intervalOf(bounded, rules.plan, rules.tolerance) };
  }
  const days =
    page.gap === null || page.changed === null
      ? said.changefreq === null
        ? rules.even
        : 1 / expected
      : coldStartDays({ days: page.gap, changed: page.changed, unchangedInARow: page.unchangedInARow });
  // Twice the even share at most: whatever the budget allows is spent on learning.
  const most = Math.min(bounds.ceiling, 2 * rules.even);
  return { pageClass, rate, inDays: Math.max(bounds.floor, Math.min(days, most)) };
}
