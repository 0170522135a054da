/**
 * `npm run bench -- freshness`: what a budget of visits is worth under seven policies, on 5,000 pages whose change rates
 * and importance are known: rates log-normal (median 0.111 changes a day, σ 1.5), importance by Zipf's law (exponent
 * 0.9), independent of each other. The figure is the share of importance that is fresh, over time.
 *
 * Policies that know the rates are computed; × 0.5 / × 1.5 and ours know nothing and are simulated, visit by visit.
 * Ours learns the rates from its own visits, each of which shows one bit, and is judged after a warm-up in which it
 * spends the same budget. Exits with 1 if ours is not within 3 % of the optimum. Takes about a minute.
 */
import { coldStartDays, visitsThatTell } from '../domain/recrawl/cold-start.ts';
import {
  exploring,
  intervalOf,
  paceAfter,
  planVisits,
  type BoundedPage,
  type Plan,
} from '../domain/recrawl/plan.ts';
import {
  estimateRate,
  noHistory,
  typicalRate,
  unknownRate,
  withVisit,
  type ChangeHistory,
} from '../domain/recrawl/rate.ts';
import { freshDays, type PlannedPage } from '../domain/recrawl/worth.ts';
import { script, whole } from '../test/support/script.ts';
import { table } from './figures.ts';

const {
  pages: pageCount,
  seed,
  days,
} = script('bench -- freshness', 'What a budget of visits is worth under seven policies.')
  .option('--pages <count>', 'that are kept fresh', whole(), 5_000)
  .option('--seed <number>', 'of their changes', whole(), 1)
  .option('--days <count>', 'that are simulated', whole(), 730)
  .parse()
  .opts<{ pages: number; seed: number; days: number }>();

/** Visits a page and day. */
const budgets = [0.1, 0.03];
const [medianRate, spread, zipf] = [0.111, 1.5, 0.9];
/** Ours is to come so near the optimum. */
const target = 0.97;
/** Visits a page for which policies that learn are given time before they are judged. */
const warmUpVisits = 10;
/** A step of the simulation: due pages are looked for so often. */
const stepDays = 0.25;

/** Mulberry32: the same numbers for the same seed. */
function randomFrom(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function madePages(random: () => number): PlannedPage[] {
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: pageCount }, (_, at) => ({
    importance: 1 / (at + 1) ** zipf,
    rate: medianRate * Math.exp(spread * normal()),
  }));
}

const total = (pages: readonly PlannedPage[]): number =>
  pages.reduce((sum, page) => sum + page.importance, 0);

/** The share of importance that is fresh if each page is visited so often; 0: never. */
function freshShare(pages: readonly PlannedPage[], visits: readonly number[]): number {
  const fresh = pages.reduce((sum, { importance, rate }, at) => {
    const often = visits[at] ?? 0;
    return often === 0 ? sum : sum + importance * freshDays(rate, 1 / often) * often;
  }, 0);
  return fresh / total(pages);
}

/** The multiplier with which the visits add up to the budget; `visitsAt` must not grow with the multiplier. */
function priced(visitsAt: (price: number) => readonly number[], budget: number): readonly number[] {
  let [low, high] = [1e-9, 1e9];
  for (let step = 0; step < 100; step++) {
    const middle = Math.sqrt(low * high);
    if (visitsAt(middle).reduce((sum, visits) => sum + visits, 0) > budget) low = middle;
    else high = middle;
  }
  return visitsAt(high);
}

const unbounded = (page: PlannedPage): BoundedPage => ({ ...page, floor: 0, ceiling: Infinity });

/** What a policy that knows the rates does. */
const informed: Record<string, (pages: readonly PlannedPage[], budget: number) => readonly number[]> = {
  uniform: (pages, budget) => pages.map(() => budget / pages.length),
  proportional: (pages, budget) => {
    const sum = pages.reduce((rates, { rate }) => rates + rate, 0);
    return pages.map(({ rate }) => (budget * rate) / sum);
  },
  LambdaCrawl: (pages, budget) =>
    priced(
      (price) =>
        pages.map(
          ({ importance, rate }) => (Math.sqrt(rate ** 2 + (4 * importance * rate) / price) - rate) / 2,
        ),
      budget,
    ),
  Azar: (pages, budget) =>
    priced(
      (price) =>
        pages.map(({ importance, rate }) => Math.max(0, Math.sqrt((importance * rate) / price) - rate)),
      budget,
    ),
  optimum: (pages, budget) => {
    const bounded = pages.map(unbounded);
    const aim = { budget, tolerance: 0, share: null };
    // Nothing goes to pages left out: whoever knows the rates need not look at them.
    const plan = planVisits(bounded, { ...aim, exploring: 0 });
    return bounded.map((page) => 1 / intervalOf(page, plan, 0));
  },
};

/** A page in a simulation, as the crawler sees it, beside the truth. */
interface SeenPage {
  readonly page: PlannedPage;
  readonly history: ChangeHistory;
  readonly visits: number;
  readonly visitedAt: number;
  readonly gap: number;
  readonly unchangedInARow: number;
  readonly dueAt: number;
}

interface Policy {
  /** Days until the next visit, after one that found the page changed or not. */
  next(seen: SeenPage, changed: boolean): number;
  /** Looks at all pages every `reviewDays`. @param spent visits since the last review */
  review(pages: readonly SeenPage[], spent: number): void;
}

/** Days between two plans. */
const reviewDays = 5;

/** Simulates a policy that must learn. Answers the share of importance that was fresh after the warm-up. */
function simulate(
  pages: readonly PlannedPage[],
  budget: number,
  policy: Policy,
  random: () => number,
  warmUp = (warmUpVisits * pages.length) / budget,
  judged = days,
): number {
  const perVisit = pages.length / budget;
  const seen: SeenPage[] = pages.map((page) => ({
    ...{ page, history: noHistory, visits: 0, visitedAt: 0, gap: perVisit, unchangedInARow: 0 },
    dueAt: random() * perVisit,
  }));
  const end = warmUp + judged;
  let [tokens, fresh, nextReview, spent] = [0, 0, reviewDays, 0];
  const count = (from: number, until: number, { importance, rate }: PlannedPage): void => {
    const begin = Math.max(from, warmUp);
    if (until > begin) fresh += importance * (freshDays(rate, until - from) - freshDays(rate, begin - from));
  };
  for (let now = 0; now < end; now += stepDays) {
    tokens = Math.min(tokens + budget * stepDays, budget);
    const due = seen.flatMap(({ dueAt }, at) => (dueAt <= now ? [{ dueAt, at }] : []));
    due.sort((a, b) => a.dueAt - b.dueAt);
    for (const { at } of due.slice(0, Math.floor(tokens))) {
      const before = seen[at];
      if (before === undefined) continue;
      tokens--;
      spent++;
      const { page, visitedAt } = before;
      const gap = now - visitedAt;
      const changed = random() < -Math.expm1(-page.rate * gap);
      count(visitedAt, now, page);
      const after = {
        ...before,
        history: withVisit(before.history, gap, changed),
        ...{ visits: before.visits + 1, visitedAt: now, gap },
        unchangedInARow: changed ? 0 : before.unchangedInARow + 1,
      };
      seen[at] = { ...after, dueAt: now + policy.next(after, changed) };
    }
    if (now >= nextReview) {
      policy.review(seen, spent);
      spent = 0;
      nextReview += reviewDays;
    }
  }
  for (const { page, visitedAt } of seen) count(visitedAt, end, page);
  return fresh / total(pages) / judged;
}

/** Kept up for ever, within a day and a year. */
const halving = (): Policy => ({
  next: ({ gap, unchangedInARow }, changed) =>
    Math.min(Math.max(coldStartDays({ days: gap, changed, unchangedInARow }), 1), 365),
  review: () => undefined,
});

/** As domain/recrawl/ has it, without the floors and ceilings of classes. */
function ours(budget: number): Policy {
  let plan: Plan | null = null;
  let typical = unknownRate;
  let pace = 1;
  const even = pageCount / budget;
  const bounded = ({ page, history }: SeenPage): BoundedPage =>
    unbounded({ importance: page.importance, rate: estimateRate(history, typical) });
  return {
    next: (seen, changed) =>
      plan === null || seen.visits < visitsThatTell
        ? Math.min(
            coldStartDays({ days: seen.gap, changed, unchangedInARow: seen.unchangedInARow }),
            2 * even,
          )
        : intervalOf(bounded(seen), plan, 0),
    review: (pages, spent) => {
      const known = pages.filter(({ visits }) => visits >= visitsThatTell);
      if (known.length < pages.length / 10) return;
      typical = typicalRate(known.map(({ history }) => estimateRate(history, typical)));
      if (plan !== null) pace = paceAfter(pace, budget * reviewDays, spent);
      plan = planVisits(pages.map(bounded), { budget: budget * pace, tolerance: 0, share: null, exploring });
    },
  };
}

const pages = madePages(randomFrom(seed));
const rows: string[][] = [['visits a page and day', 'policy', 'fresh', 'of the optimum', 'never visited']];
const losses: string[] = [];
let missed = false;
for (const perPage of budgets) {
  const budget = perPage * pageCount;
  const optimal = freshShare(pages, informed.optimum?.(pages, budget) ?? []);
  const add = (policy: string, share: number, never: number | null): void => {
    const left = never === null ? '' : `${((100 * never) / pageCount).toFixed(0)} %`;
    rows.push([String(perPage), policy, share.toFixed(3), `${((100 * share) / optimal).toFixed(1)} %`, left]);
  };
  for (const [policy, visitsOf] of Object.entries(informed)) {
    const visits = visitsOf(pages, budget);
    add(policy, freshShare(pages, visits), visits.filter((often) => often === 0).length);
  }
  add('× 0.5 / × 1.5', simulate(pages, budget, halving(), randomFrom(seed + 1)), null);
  const learnt = simulate(pages, budget, ours(budget), randomFrom(seed + 1));
  add('ours', learnt, null);
  missed ||= learnt < target * optimal;
  const young = simulate(pages, budget, ours(budget), randomFrom(seed + 1), 0, warmUpVisits / perPage);
  const plain = pages.map((page) => ({ ...page, importance: 1 }));
  const flat = freshShare(plain, informed.optimum?.(plain, budget) ?? []);
  const alike = simulate(plain, budget, ours(budget), randomFrom(seed + 1));
  losses.push(
    `budget ${String(perPage)}: while it learns (the first ${(warmUpVisits / perPage).toFixed(0)} days) ours has ${((100 * young) / optimal).toFixed(1)} % of the optimum;`,
    `  with pages of equal importance ${((100 * alike) / flat).toFixed(1)} % of theirs.`,
  );
}
console.log(
  `${String(pageCount)} pages, seed ${String(seed)}, judged over ${String(days)} days after the warm-up\n`,
);
console.log(table(rows));
console.log(`\nWhere ours loses:\n${losses.join('\n')}`);
if (missed) {
  console.error(`ours is more than ${String(Math.round(100 * (1 - target)))} % below the optimum`);
  process.exitCode = 1;
}
