/**
 * What a visit to a page is worth. A page changes at a Poisson rate; a copy that has been outdated for no longer than a
 * tolerance counts as fresh (tolerance 0: only a copy that equals the page does). Visited every τ days, such a page is
 * fresh for the share G(τ)/τ of the time, where G(τ) is the expected fresh time between two visits. One more visit a day
 * gains G(τ) − τ·G′(τ), times the importance of the page: the marginal value that an optimal plan makes equal for all
 * pages it visits (Cho and Garcia-Molina 2003; the same condition with tolerance 0 in Azar et al. 2018).
 */

/** A page as plans see it. */
export interface PlannedPage {
  /** What the page counts for, above 0, in any unit that all pages of a plan share. */
  readonly importance: number;
  /** Changes a day, above 0. */
  readonly rate: number;
}

/** Expected days for which a copy is fresh within `days` after it was made. */
export function freshDays(rate: number, days: number, tolerance = 0): number {
  if (days <= tolerance) return days;
  return tolerance - Math.expm1(-rate * (days - tolerance)) / rate;
}

/** Probability that a copy of this age is fresh. */
export const freshAt = (rate: number, days: number, tolerance = 0): number =>
  Math.exp(-rate * Math.max(0, days - tolerance));

/** The marginal value of visiting a page whose copy is so many days old. */
export function worth({ importance, rate }: PlannedPage, days: number, tolerance = 0): number {
  const late = Math.max(0, days - tolerance);
  return importance * (-tolerance * Math.expm1(-rate * late) + shape(rate * late) / rate);
}

/** What a visit is worth at most, however long it is put off. */
export const mostWorth = ({ importance, rate }: PlannedPage, tolerance = 0): number =>
  importance * (tolerance + 1 / rate);

/**
 * The age in days at which a visit is worth `price`: the inverse of `worth`. Infinity: a visit never is. By bisection,
 * since `worth` only grows with age; exact to a ten-thousandth.
 */
export function daysUntilWorth(page: PlannedPage, price: number, tolerance = 0): number {
  if (mostWorth(page, tolerance) <= price) return Infinity;
  // At 40 mean times between changes a visit is worth all that it can be, as far as a double tells.
  let [low, high] = [tolerance, tolerance + 40 / page.rate];
  for (let step = 0; step < 60 && high - low > 1e-4 * high; step++) {
    const middle = (low + high) / 2;
    if (worth(page, middle, tolerance) < price) low = middle;
    else high = middle;
  }
  return high;
}

/** 1 − (1 + x)·e^−x, also for small x, where the difference would lose its digits. */
function shape(x: number): number {
  return x < 1e-4 ? (x * x) / 2 : 1 - (1 + x) * Math.exp(-x);
}
