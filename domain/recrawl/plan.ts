/**
 * A plan for visits under a budget: one price for all pages, at which a page is due as soon as a visit is worth it
 * (worth.ts). The higher the price, the fewer the visits; the plan is the lowest price whose visits the budget pays.
 *
 * The optimum leaves out pages that change too often for what they matter. Pages left out are still visited now and
 * then, for a share of the budget: without that an estimate that was wrong once would never be put right.
 */
import { daysUntilWorth, freshDays, type PlannedPage } from './worth.ts';

/** A page with the bounds of its class, in days. */
export interface BoundedPage extends PlannedPage {
  readonly floor: number;
  readonly ceiling: number;
}

export interface Aim {
  /** Visits a day at most. */
  readonly budget: number;
  /** Days for which a copy may be outdated and counts as fresh. */
  readonly tolerance: number;
  /** The share of importance that is to be fresh, 0 to 1; null: as much as the budget gives. */
  readonly share: number | null;
  /** The share of the budget that goes to pages which are not worth the price, if they are visited at all. */
  readonly exploring: number;
}

export interface Plan {
  /** What a visit must be worth. */
  readonly price: number;
  /** Days between two visits to pages that are not worth the price, at least. */
  readonly leftOutDays: number;
  /** What to expect of the plan: visits a day, the share of importance that is fresh, and pages left out. */
  readonly visits: number;
  readonly share: number;
  readonly leftOut: number;
}

/** The share that plans of crawls explore with: a twentieth cost less freshness than a tenth, and found as much. */
export const exploring = 0.05;
/** No page is put off for longer, in days. */
const longest = 3_650;

/** Days until the next visit to a page under a plan. */
export function intervalOf(
  page: BoundedPage,
  { price, leftOutDays }: Pick<Plan, 'price' | 'leftOutDays'>,
  tolerance: number,
): number {
  const wanted = daysUntilWorth(page, price, tolerance);
  const ceiling = Math.max(page.ceiling, page.floor);
  if (wanted === Infinity) return Math.max(ceiling, leftOutDays);
  // A page that is worth the price, but only far beyond the ceiling of its class, is put off like those left out.
  return Math.max(page.floor, Math.min(wanted, Math.max(ceiling, leftOutDays)));
}

/** What a price leads to. */
export function expect(pages: readonly BoundedPage[], price: number, aim: Aim): Plan {
  const { budget, tolerance, exploring } = aim;
  let [visits, fresh, importance] = [0, 0, 0];
  const late: BoundedPage[] = [];
  const add = (page: BoundedPage, days: number): void => {
    visits += 1 / days;
    fresh += (page.importance * freshDays(page.rate, days, tolerance)) / days;
  };
  let leftOut = 0;
  for (const page of pages) {
    importance += page.importance;
    const wanted = daysUntilWorth(page, price, tolerance);
    if (wanted === Infinity) leftOut++;
    if (wanted > Math.max(page.ceiling, page.floor)) late.push(page);
    else add(page, Math.max(page.floor, wanted));
  }
  // Those that only a ceiling makes due share a part of the budget: their ceilings are kept as far as that goes.
  const leftOutDays = exploring === 0 ? Infinity : Math.min(longest, late.length / (budget * exploring));
  for (const page of late) add(page, intervalOf(page, { price, leftOutDays }, tolerance));
  return { price, leftOutDays, visits, share: importance === 0 ? 1 : fresh / importance, leftOut };
}

/**
 * The plan for an aim: the best that the budget gives, or, if that is more than the wanted share, the cheapest plan that
 * still reaches it.
 */
export function planVisits(pages: readonly BoundedPage[], aim: Aim): Plan {
  const best = bisect((price) => expect(pages, price, aim).visits <= aim.budget);
  const plan = expect(pages, best, aim);
  if (aim.share === null || plan.share <= aim.share) return plan;
  const dearest = bisect((price) => expect(pages, price, aim).share < (aim.share ?? 0));
  return expect(pages, Math.max(best, dearest / priceStep), aim);
}

/**
 * A plan spends less than it expects where estimates are wrong and where pages left out are put off further. The next
 * plan is made for as much more as was left, and for less if too much was due.
 * @param pace the factor so far
 * @param expected visits that should have come in the time
 */
export function paceAfter(pace: number, expected: number, spent: number): number {
  return Math.min(2, Math.max(0.5, pace * Math.sqrt(expected / Math.max(1, spent))));
}

const priceStep = 1.000_01;
/** The lowest price, from a wide range, from which on `holds` is true. */
function bisect(holds: (price: number) => boolean): number {
  let [low, high] = [1e-12, 1e12];
  if (holds(low)) return low;
  while (high / low > priceStep) {
    const middle = Math.sqrt(low * high);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
