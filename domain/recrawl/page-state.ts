/** What the visits to a page have shown. */
import { differsByAHair } from './page-sign.ts';
import { noHistory, withVisit, type ChangeHistory } from './rate.ts';

export interface PageState {
  readonly importance: number;
  readonly history: ChangeHistory;
  readonly visits: number;
  /** Days between the last two visits, and whether the later one found a change; null: there was one visit. */
  readonly gap: number | null;
  readonly changed: boolean | null;
  /** Visits in a row that found no change. */
  readonly unchangedInARow: number;
  /** Visits in a row that found the page gone. */
  readonly deadVisits: number;
}

/** What a visit found. Signs are equal exactly if what they stand for is equal, for all that matters here. */
export interface Found {
  readonly isDead: boolean;
  readonly bodySign: string;
  /** Of the text; null: the body was not read as a text. */
  readonly textSign: string | null;
  /**
   * SimHash of the text (page-sign.ts); null: it has none. Before the visit: of the text that last counted as new, so
   * that a text which changes a little with every visit counts as changed once it has gone far enough.
   */
  readonly simhash: bigint | null;
}

/**
 * The text tells, if both visits have one: bodies differ by dates, tokens and advertisements that nobody reads. A text
 * that differs by a hair is the same: otherwise a page with a counter would be visited again and again for nothing.
 */
export function hasChanged(before: Found, now: Found): boolean {
  if (before.isDead !== now.isDead) return true;
  if (before.textSign === null || now.textSign === null) return before.bodySign !== now.bodySign;
  if (before.textSign === now.textSign) return false;
  return before.simhash === null || now.simhash === null || !differsByAHair(before.simhash, now.simhash);
}

/** The SimHash with which the next visit is compared. */
export const simhashAfter = (before: Found | null, now: Found, changed: boolean): bigint | null =>
  before === null || changed ? now.simhash : (before.simhash ?? now.simhash);

export const firstVisit = (importance: number, { isDead }: Found): PageState => ({
  importance,
  history: noHistory,
  visits: 1,
  gap: null,
  changed: null,
  unchangedInARow: 0,
  deadVisits: isDead ? 1 : 0,
});

/** @param gap days since the visit before; 0 or less counts as a second: clocks may be set back */
export function visitedAgain(before: PageState, gap: number, changed: boolean, found: Found): PageState {
  const days = Math.max(gap, 1 / 86_400);
  return {
    importance: before.importance,
    history: withVisit(before.history, days, changed),
    visits: before.visits + 1,
    gap: days,
    changed,
    unchangedInARow: changed ? 0 : before.unchangedInARow + 1,
    deadVisits: found.isDead ? before.deadVisits + 1 : 0,
  };
}
