/** Plans for a standing crawl, from a sample of its pages: what to spend where, and what can be reached. */
import { daySeconds, intervalsOf, toleranceOf, type KeepFresh } from '../../domain/recrawl/keep-fresh.ts';
import { visitsThatTell } from '../../domain/recrawl/cold-start.ts';
import { pageClasses, type PageClass } from '../../domain/recrawl/page-class.ts';
import {
  exploring,
  paceAfter,
  planVisits,
  type Aim,
  type BoundedPage,
  type Plan,
} from '../../domain/recrawl/plan.ts';
import { typicalRate } from '../../domain/recrawl/rate.ts';
import { freshAt, freshDays } from '../../domain/recrawl/worth.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import {
  samplePages,
  storePlan,
  storeSample,
  type SampledPage,
  type StandingCrawl,
} from '../../storage/recrawl/index.ts';
import { partOf } from './visits.ts';

/** Pages of a sample: with more, a share would be known better than to a hundredth, and a plan take long. */
const sampled = 5_000;

interface Sample {
  readonly pages: readonly SampledPage[];
  /** Pages of the crawl, or of the part that is kept fresh, for each page of the sample. */
  readonly each: number;
}

async function takeSample(
  db: Queryable,
  crawlId: string,
  all: number,
  keepFresh: KeepFresh,
): Promise<Sample> {
  const isPart = partOf(keepFresh);
  const pages = (await samplePages(db, crawlId, sampled)).filter(({ url }) => isPart(url));
  return { pages, each: Math.max(1, all / sampled) };
}

export interface Reach {
  /** Pages that would be kept fresh, and how many of these were visited often enough to tell their rates. */
  readonly pages: number;
  readonly ratesKnown: number;
  /** The most that the budget can reach. */
  readonly best: Plan;
  /** The cheapest plan for the wanted share, whatever it costs; null: none reaches it, or none is wanted. */
  readonly needed: Plan | null;
  /** The floor that forbids the wanted share; null: none does. */
  readonly floor: FloorInTheWay | null;
}

interface FloorInTheWay {
  readonly pageClass: PageClass;
  /** The shortest of this floor's values, in seconds, that allows the share; null: this floor alone does not make up for it. */
  readonly neededSeconds: number | null;
}

/** What a goal can reach, by what is known of the pages now. @param all pages of the crawl */
export async function reachable(
  db: Queryable,
  crawlId: string,
  all: number,
  keepFresh: KeepFresh,
): Promise<Reach> {
  const { pages, each } = await takeSample(db, crawlId, all, keepFresh);
  const bounded = pages.map((page) => boundedBy(page, keepFresh));
  const scaled = (aim: Aim): Plan => {
    const plan = planVisits(bounded, aim);
    return { ...plan, visits: plan.visits * each, leftOut: Math.round(plan.leftOut * each) };
  };
  const aim = aimOf(keepFresh, each, null, 1);
  const share = keepFresh.share === null ? null : keepFresh.share / 100;
  const wanted = share === null ? null : scaled({ ...aim, share, budget: Infinity, exploring: 0 });
  const needed = wanted === null || wanted.share < (share ?? 0) - 0.005 ? null : wanted;
  return {
    pages: Math.round(pages.length * each),
    ratesKnown: Math.round(pages.filter(isKnown).length * each),
    best: scaled(aim),
    needed,
    floor: share === null || needed !== null ? null : floorInTheWay(pages, keepFresh, share),
  };
}

/** Names the class of pages whose floor costs the most of what the goal wants. */
function floorInTheWay(
  pages: readonly SampledPage[],
  keepFresh: KeepFresh,
  share: number,
): FloorInTheWay | null {
  const tolerance = toleranceOf(keepFresh);
  const bounded = pages.map((page) => ({ ...boundedBy(page, keepFresh), of: pageClasses[page.class] }));
  const all = bounded.reduce((sum, { importance }) => sum + importance, 0);
  /** The share of all importance that is outdated if each page is fetched whenever its floor allows. */
  const lostBy = (each: readonly BoundedPage[], floor?: number): number =>
    each.reduce((sum, page) => {
      const days = floor ?? page.floor;
      return sum + page.importance * (1 - freshDays(page.rate, days, tolerance) / days);
    }, 0) / all;
  const [worst] = pageClasses
    .map((name) => ({ name, lost: lostBy(bounded.filter(({ of }) => of === name)) }))
    .toSorted((a, b) => b.lost - a.lost);
  if (worst === undefined || all === 0) return null;
  const [own, others] = [true, false].map((is) => bounded.filter(({ of }) => (of === worst.name) === is));
  const mayLose = 1 - share - lostBy(others ?? []);
  let seconds = keepFresh.intervals[worst.name].floorSeconds;
  while (seconds > 1 && lostBy(own ?? [], seconds / daySeconds) > mayLose) seconds = Math.floor(seconds / 2);
  return { pageClass: worst.name, neededSeconds: seconds > 1 ? seconds : null };
}

const isKnown = ({ visits }: SampledPage): boolean => visits > visitsThatTell;

/** Makes and stores a plan, and a sample of how fresh the crawl is now. The caller must hold the standing crawl. */
export async function planAnew(
  db: Queryable,
  crawlId: string,
  standing: StandingCrawl,
  keepFresh: KeepFresh,
): Promise<void> {
  const { pages, each } = await takeSample(db, crawlId, standing.pages, keepFresh);
  const bounded = pages.map((page) => boundedBy(page, keepFresh));
  const spent = standing.queued - standing.planned_queued;
  const due = (keepFresh.requestsPerDay * (standing.planned_ago ?? 0)) / 86_400;
  // A goal may need less than the budget. What it left unspent is not caught up with.
  const pace =
    standing.planned_ago === null || keepFresh.share !== null || due < 1
      ? standing.pace
      : paceAfter(standing.pace, due, spent);
  const share = keepFresh.share === null ? null : keepFresh.share / 100;
  const plan = planVisits(bounded, aimOf(keepFresh, each, share, pace));
  const known = pages.filter(isKnown);
  const typical = typicalRate(known.map(({ rate }) => rate));
  const leftOut = Math.round(plan.leftOut * each);
  const ratesKnown = Math.round(known.length * each);
  await storePlan(db, { ...plan, crawlId, typicalRate: typical, leftOut, pace, ratesKnown });
  const { fresh, checked } = freshnessOf(pages, keepFresh);
  await storeSample(db, crawlId, Math.round(pages.length * each), fresh, checked, leftOut);
}

/** How fresh pages are now, by importance: expected by their rates, and visited within the time of the goal. */
function freshnessOf(
  pages: readonly SampledPage[],
  keepFresh: KeepFresh,
): { readonly fresh: number; readonly checked: number | null } {
  const tolerance = toleranceOf(keepFresh);
  let [all, fresh, checked] = [0, 0, 0];
  for (const { importance, rate, age } of pages) {
    all += importance;
    fresh += importance * freshAt(rate, age, tolerance);
    if (age <= tolerance) checked += importance;
  }
  if (all === 0) return { fresh: 1, checked: tolerance === 0 ? null : 1 };
  return { fresh: fresh / all, checked: tolerance === 0 ? null : checked / all };
}

const aimOf = (keepFresh: KeepFresh, each: number, share: number | null, pace: number): Aim => ({
  budget: (keepFresh.requestsPerDay * pace) / each,
  tolerance: toleranceOf(keepFresh),
  share,
  exploring,
});

function boundedBy({ class: at, importance, rate }: SampledPage, keepFresh: KeepFresh): BoundedPage {
  const bounds = intervalsOf(keepFresh)[pageClasses[at] ?? 'generic'];
  return { importance, rate: Math.max(rate, 1e-6), ...bounds };
}
