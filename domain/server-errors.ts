/**
 * Outages of a host whose pages answer with server errors, one after another (blame.ts): it counts as down for an hour,
 * twice as long each time that happens again within a day. Times are milliseconds on any one clock.
 */
export interface Outages {
  /** Each within a day of the end of the one before. */
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

/** Outages that make the next one longer; the last may itself have lasted a day. */
const recentOutages = ({ outages, outageAt }: Outages, now: number): number =>
  outageAt !== null && now - outageAt < 2 * dayMs ? outages : 0;
