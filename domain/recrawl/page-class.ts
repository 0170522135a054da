/** Classes of pages by how soon a change matters, each with bounds for the interval between two visits. */
import { unlifted } from '../priority/place.ts';
import { slowestRate, type ChangeHistory } from './rate.ts';

/** In the order of their turns: news goes first. */
export const pageClasses = ['news', 'generic', 'dormant'] as const;
export type PageClass = (typeof pageClasses)[number];

/** Days between two visits. */
export interface Bounds {
  readonly floor: number;
  readonly ceiling: number;
}
export type Intervals = Readonly<Record<PageClass, Bounds>>;

/** Hints are believed no further than to this many changes a day: more has to be seen in visits. */
const mostHinted = 7;

/** What a sitemap says of how often a page changes, as changes a day (sitemaps.org, `changefreq`). */
export const changeRates = {
  always: mostHinted,
  hourly: mostHinted,
  daily: 1,
  weekly: 1 / 7,
  monthly: 1 / 30,
  yearly: 1 / 365,
  never: slowestRate,
} as const;
export type ChangeFreq = keyof typeof changeRates;

/** Changes a day from which a page counts as news: half the visits at a floor of ten minutes would find none. */
const newsRate = 2;
/** Days without a change after which a page counts as dormant. */
const dormantDays = 90;

/**
 * @param isNews the settings of the crawl call it news
 * @param rate the estimate; null: there were too few visits to tell
 */
export function classOf(
  isNews: boolean,
  hint: ChangeFreq | null,
  history: ChangeHistory,
  rate: number | null,
): PageClass {
  if (isNews || (rate !== null && rate >= newsRate)) return 'news';
  if (history.changedAfter.length === 0 && history.unchangedDays >= dormantDays) return 'dormant';
  if (rate !== null || hint === null) return 'generic';
  if (hint === 'always' || hint === 'hourly') return 'news';
  return hint === 'yearly' || hint === 'never' ? 'dormant' : 'generic';
}

/** What a page counts for in a plan: its score in the queue, at most 1. */
export const importanceOf = (priority: number): number => Math.min(1, Math.max(0.001, unlifted(priority)));

/** How often the sitemaps of a host were right or wrong that a page had changed. */
export interface LastmodRecord {
  readonly right: number;
  readonly wrong: number;
}
/** Are they believed? About one site in twenty-five has dates that hold; nine of ten must have held here. */
export const trustsLastmods = ({ right, wrong }: LastmodRecord): boolean =>
  right + wrong >= 5 && right >= 9 * wrong;
