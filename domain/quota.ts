/**
 * Requests a host may get in a day (F05), of all crawls together, robots.txt included. The day is the calendar day in
 * the time zone of the host's windows, or in UTC.
 *
 * Requests are counted before they leave: whoever takes the host's lease reserves some, and says at its return how many
 * were sent. Those of a lease that was never returned all count, so that a crash makes the count too high at most.
 */

/** Where no setting of the host says otherwise. */
export const defaultDailyQuota = 100_000;

/** Reserved with each lease where the quota is the default; what one slice sends at most. */
export const sliceReserve = 256;
/** Reserved for a guest, who sends one request, and that once more at most (net/: unheard requests). */
export const guestReserve = 2;
/** Beside its URLs a slice may need robots.txt, with its redirects. */
export const robotsReserve = 6;

/** As the host's row has it. */
export interface CountedDay {
  /** As in 2026-03-29; null: nothing was counted yet. */
  readonly day: string | null;
  readonly used: number;
}

/** Requests counted for `day`. @param lost reserved by leases that were not returned; nobody knows of which day */
export const usedOn = (day: string, counted: CountedDay, lost: number): number =>
  (counted.day === day ? counted.used : 0) + lost;

/** Requests that a slice which wants `urls` may reserve. */
export const reserveFor = (urls: number, used: number, quota: number): number =>
  Math.max(0, Math.min(urls + robotsReserve, sliceReserve, quota - used));
