/**
 * Outages of a host: several pages in a row answered with server errors (blame.ts). The host counts as down for an
 * hour, and for twice as long with each outage that begins less than two days after the last one began, up to a day.
 * Times are milliseconds on any one clock.
 */
export interface Outages {
  /** Outages in a row, each soon after the one before (`recentOutages`). */
  readonly outages: number;
  readonly outageAt: number | null;
}

export const noOutages: Outages = { outages: 0, outageAt: null };

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** How long the host is left alone when an outage begins now. */
export const outageMs = (memory: Outages, now: number): number =>
  Math.min(hourMs * 2 ** Math.min(recentOutages(memory, now), 10), dayMs);

export const afterOutage = (memory: Outages, now: number): Outages => ({
  outages: recentOutages(memory, now) + 1,
  outageAt: now,
});

/** Outages that make the next one longer. Two days, since the last outage may itself have lasted one of them. */
const recentOutages = ({ outages, outageAt }: Outages, now: number): number =>
  outageAt !== null && now - outageAt < 2 * dayMs ? outages : 0;
