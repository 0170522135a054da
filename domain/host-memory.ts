/**
 * What answers have taught about a host so far: trouble in a row, outages, manners, and signs of who is to blame.
 * Times are milliseconds on any one clock.
 */
import { noSigns, noteFailing, noteWell, suspicionOf, type Signs } from './blame.ts';
import { mayBeOwn, type History, type HostNext } from './outcome.ts';
import { easedByTime, easeUp, noManners, slowDown, type Manners } from './pace.ts';
import type { UrlReason } from './url-reason.ts';

/**
 * Outages of a host: several pages in a row answered with server errors (blame.ts). The host counts as down for an
 * hour, and for twice as long with each outage that begins less than two days after the last one began, up to a day.
 */
interface Outages {
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

export interface HostMemory {
  /** Times the host was left alone for trouble, with no good answer in between. */
  readonly failures: number;
  readonly outages: Outages;
  readonly manners: Manners;
  readonly signs: Signs;
}

export const newHost: HostMemory = {
  failures: 0,
  outages: noOutages,
  manners: noManners,
  signs: noSigns,
};

/** The part of a `History` that comes from what the host has taught so far. */
export const historyOf = (
  memory: HostMemory,
  url: { readonly key: string; readonly reason: UrlReason | null },
  now: number,
): Pick<History, 'hostFailures' | 'suspicion' | 'outageMs'> => ({
  hostFailures: memory.failures,
  suspicion: suspicionOf(memory.signs, url.key, mayBeOwn(url.reason), now),
  outageMs: outageMs(memory.outages, now),
});

/** @param delayMs the delay in force when the URL was requested */
export function afterAnswer(
  memory: HostMemory,
  url: string,
  next: HostNext,
  delayMs: number,
  now: number,
): HostMemory {
  const { trouble, complaint, sign } = next;
  let { failures, outages, signs } = memory;
  let manners = easedByTime(memory.manners, now);
  if (complaint !== null) manners = slowDown(manners, complaint, delayMs, now);
  if (sign === 'well') {
    manners = easeUp(manners);
    signs = noteWell(signs, manners, now);
    failures = 0;
  }
  if (sign === 'ill') signs = noteFailing(signs, url, complaint !== null);
  if (trouble !== null) failures++;
  if (trouble?.class === 'server-errors') outages = afterOutage(outages, now);
  return { failures, outages, manners, signs };
}
