/**
 * Requests that a host may get in a day (F05), from all crawls together, robots.txt included. The day is the calendar
 * day in the time zone of the host's windows, or in UTC.
 *
 * Requests are counted before they leave: the holder of the host's lease reserves some when it takes the lease, and
 * says how many were sent when it returns the lease. If a lease is never returned, all its reserved requests count: a
 * crash can make the count too high, but never too low.
 */

/** Requests a day, unless a setting of the host says otherwise. */
export const defaultDailyQuota = 100_000;

/** @param budget what the host's quality leaves it (host-quality.ts); null: as much as any host */
export const dailyQuota = (set: number | null, budget: number | null): number =>
  set ?? budget ?? defaultDailyQuota;

/** The most requests that one slice reserves and sends. Reserved with each lease at a host with the default quota. */
export const sliceReserve = 256;
/** Reserved for a guest, who sends one request, and repeats it at most once (net/: unheard requests). */
export const guestReserve = 2;
/** Reserved beside the URLs of a slice, for robots.txt and its redirects. */
export const robotsReserve = 6;

/** The count in the host's row. */
export interface CountedDay {
  /** Such as 2026-03-29; null: nothing was counted yet. */
  readonly day: string | null;
  readonly used: number;
}

/** Requests counted for `day`. @param lost reserved by leases that were not returned, on a day that is not known */
export const usedOn = (day: string, counted: CountedDay, lost: number): number =>
  (counted.day === day ? counted.used : 0) + lost;

/** How many requests a slice that wants to fetch `urls` URLs may reserve. */
export const reserveFor = (urls: number, used: number, quota: number): number =>
  Math.max(0, Math.min(urls + robotsReserve, sliceReserve, quota - used));
