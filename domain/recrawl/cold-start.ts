/** How often a page is visited until its history tells its rate. */

/** Visits that show a bit before a rate is believed. */
export const visitsThatTell = 3;

export interface ColdStart {
  /** Days between the last two visits. */
  readonly days: number;
  readonly changed: boolean;
  /** Visits in a row that found the page unchanged, this one included. */
  readonly unchangedInARow: number;
}

/**
 * Days until the next visit: half as long after a change, half as long again without one, and twice as long from the
 * third visit in a row without one. Kept up for ever, this would end in visits in proportion to the rates of the pages,
 * the worst use of a budget; for the first few visits it finds the order of magnitude.
 */
export function coldStartDays({ days, changed, unchangedInARow }: ColdStart): number {
  if (changed) return days * 0.5;
  return days * (unchangedInARow >= 3 ? 2 : 1.5);
}
