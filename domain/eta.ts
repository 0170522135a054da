/** When the work that is left at one host will be done (G14). Times in milliseconds, instants since 1970. */
import { hostDay } from './closing.ts';
import { nextOpening, openingAt, type Windows } from './windows.ts';

export interface WorkLeft {
  readonly urls: number;
  /** Milliseconds that each URL takes, its delay included. */
  readonly eachMs: number;
  /** The instant before which the host is not asked. */
  readonly from: number;
  readonly windows: Windows | null;
  /** Requests that the host may get in a day, and how many of them are left today. */
  readonly quotaPerDay: number;
  readonly leftToday: number;
}

/** Opening times and days that are looked at; a host that needs more is not done within years. */
const mostSpans = 2_000;

/** Null: not within the time that is looked at. */
export function doneAt({ urls, eachMs, from, windows, quotaPerDay, leftToday }: WorkLeft): number | null {
  let [left, today, at] = [urls, leftToday, from];
  for (let span = 0; span < mostSpans; span++) {
    at = nextOpening(windows, at);
    const dayEnds = hostDay(windows, at).endsAt;
    const closes = windows === null ? Infinity : (openingAt(windows, at).until ?? Infinity);
    const ends = Math.min(closes, dayEnds);
    const fit = Math.max(0, Math.min(today, eachMs === 0 ? Infinity : Math.ceil((ends - at) / eachMs)));
    if (left <= fit) return at + left * eachMs;
    left -= fit;
    // The last of them may end after the span does, and the next one is not asked for before.
    at = Math.max(fit === today ? dayEnds : ends, at + fit * eachMs);
    if (at >= dayEnds) today = quotaPerDay;
  }
  return null;
}
