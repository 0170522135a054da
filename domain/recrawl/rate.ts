/**
 * How often a page changes. Each visit gives one bit: did the page change since the visit before? The maximum of the
 * likelihood for irregular visits is where Σ a/(e^{Δa} − 1) over the changed intervals equals the sum of the unchanged
 * ones (Cho and Garcia-Molina 2003, and Microsoft's Optimal-Freshness-Crawl-Scheduling). So unchanged intervals need
 * only their sum, and a history stays small: that sum, and the latest changed intervals.
 */

/** What is known of a page's changes; all in days. */
export interface ChangeHistory {
  /** Sum of the intervals after which the page was found unchanged. */
  readonly unchangedDays: number;
  /** The latest intervals after which it was found changed, oldest first, `mostChanges` at most. */
  readonly changedAfter: readonly number[];
}

export const noHistory: ChangeHistory = { unchangedDays: 0, changedAfter: [] };

/** Changed intervals that a history keeps. Sixteen tell a rate to a quarter. */
export const mostChanges = 16;
/** Changes a day: the least and the most that is believed, one in ten minutes as the least floor of news allows. */
export const [slowestRate, fastestRate] = [0.0005, 144];
/**
 * Changes a day of a page of which nothing is known. One imaginary changed and one unchanged interval of half a day
 * weigh like two visits, and agree on this rate. With each change that was seen they become shorter: half a day
 * without a change would outweigh the sixteen changes that are remembered of a page that changes each ten minutes.
 */
export const unknownRate = Math.LN2 / 0.5;

/** A history with one more visit, so many days after the one before. */
export function withVisit(history: ChangeHistory, days: number, changed: boolean): ChangeHistory {
  const { unchangedDays, changedAfter } = history;
  if (!changed) return { unchangedDays: unchangedDays + days, changedAfter };
  const after = [...changedAfter, days];
  if (after.length <= mostChanges) return { unchangedDays, changedAfter: after };
  // What is forgotten takes its share of the unchanged time along, so that the history tells of the recent past.
  return {
    unchangedDays: (unchangedDays * mostChanges) / (mostChanges + 1),
    changedAfter: after.slice(1),
  };
}

/**
 * The rate at which a page changes, in changes a day, by bisection between the rates that are believed.
 * @param typical rate that is expected of a page of which nothing is known; weighs like two visits at first
 */
export function estimateRate(history: ChangeHistory, typical = unknownRate): number {
  const imaginary = Math.LN2 / typical / Math.max(1, history.changedAfter.length);
  const unchanged = history.unchangedDays + imaginary;
  const excess = (rate: number): number => {
    let sum = imaginary / Math.expm1(rate * imaginary);
    for (const days of history.changedAfter) sum += days > 0 ? days / Math.expm1(rate * days) : 1 / rate;
    return sum - unchanged;
  };
  if (excess(slowestRate) <= 0) return slowestRate;
  if (excess(fastestRate) >= 0) return fastestRate;
  let [low, high] = [slowestRate, fastestRate];
  for (let step = 0; step < 40 && high / low > 1.000_1; step++) {
    const middle = Math.sqrt(low * high);
    if (excess(middle) > 0) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}

/** The rate to expect of a page without a history: the geometric mean of the known rates. */
export function typicalRate(rates: readonly number[]): number {
  if (rates.length === 0) return unknownRate;
  return Math.exp(rates.reduce((sum, rate) => sum + Math.log(rate), 0) / rates.length);
}
