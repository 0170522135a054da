/** What a standing crawl is asked for: a goal and a budget for keeping its pages fresh. */
import { pageClasses, type Intervals, type PageClass } from './page-class.ts';

export const daySeconds = 86_400;

export interface KeepFresh {
  /** Requests a day at most for pages that were fetched before. */
  readonly requestsPerDay: number;
  /** Percent of the importance of all pages that is to be fresh, above 0; null: as much as the budget gives. */
  readonly share: number | null;
  /** Seconds for which a copy may be outdated and counts as fresh. */
  readonly withinSeconds: number;
  /** Patterns of the URLs that are kept fresh; none: all. */
  readonly only: readonly string[];
  /** Patterns of URLs that are news. */
  readonly news: readonly string[];
  /** Bounds of the time between two visits, by class. */
  readonly intervals: Readonly<
    Record<PageClass, { readonly floorSeconds: number; readonly ceilingSeconds: number }>
  >;
}

export const defaultKeepFresh: KeepFresh = {
  requestsPerDay: 10_000,
  share: null,
  withinSeconds: 0,
  only: [],
  news: [],
  intervals: {
    news: { floorSeconds: 600, ceilingSeconds: 6 * 3_600 },
    generic: { floorSeconds: daySeconds, ceilingSeconds: 30 * daySeconds },
    dormant: { floorSeconds: 30 * daySeconds, ceilingSeconds: 90 * daySeconds },
  },
};

/** The bounds in days, as plans have them. */
export const intervalsOf = ({ intervals }: KeepFresh): Intervals =>
  Object.fromEntries(
    pageClasses.map((name) => {
      const { floorSeconds, ceilingSeconds } = intervals[name];
      return [name, { floor: floorSeconds / daySeconds, ceiling: ceilingSeconds / daySeconds }];
    }),
  ) as unknown as Intervals;

export const toleranceOf = ({ withinSeconds }: KeepFresh): number => withinSeconds / daySeconds;

/**
 * Seconds between two looks at what is due: a fifth of the shortest floor, so that a page waits little beyond it, and
 * news is fetched within a quarter of an hour. Between ten seconds and two minutes.
 */
export function lookSeconds({ intervals }: KeepFresh): number {
  const shortest = Math.min(...pageClasses.map((name) => intervals[name].floorSeconds));
  return Math.round(Math.min(120, Math.max(10, shortest / 5)));
}
