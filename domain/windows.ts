/**
 * When a host may be crawled (F18): weekly opening times on the clocks of its time zone.
 *
 * A host is open at an instant if the weekday and the time that clocks in its zone then show lie in an opening time.
 * The rules for days on which clocks change follow from that: an hour that is skipped opens nothing (an opening time
 * that begins in it begins when the clocks have moved), and an hour that comes twice is open both times.
 */
import { isTimeZone, nextShift, wallTime } from './zone.ts';

export const weekDays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type WeekDay = (typeof weekDays)[number];

export interface OpeningTime {
  /** The days on which the opening time begins. */
  readonly days: readonly WeekDay[];
  /** From 00:00 to 23:59, inclusive. */
  readonly from: string;
  /** From 00:01 to 24:00, exclusive. If it is before `from`, the opening time ends on the next day. */
  readonly to: string;
}

export interface Windows {
  /** A name of the IANA database. */
  readonly timeZone: string;
  readonly open: readonly OpeningTime[];
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const weekMs = 7 * dayMs;
/** Monday, 5 January 1970. */
const aMonday = 4 * dayMs;

const clockTime = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Milliseconds since midnight; null: the text is not a time of day. */
function timeOfDay(text: string): number | null {
  const [, hours, minutes] = clockTime.exec(text) ?? [];
  return hours === undefined ? null : (Number(hours) * 60 + Number(minutes)) * minuteMs;
}

const endOfDay = (text: string): number | null => (text === '24:00' ? dayMs : timeOfDay(text));

/** Why these windows cannot be used, in one sentence; null: they can. */
export function windowsProblem({ timeZone, open }: Windows): string | null {
  if (!isTimeZone(timeZone)) {
    return `There is no time zone ${JSON.stringify(timeZone)}; names are as in Europe/Berlin or UTC.`;
  }
  if (open.length === 0) return 'Windows without an opening time never open.';
  for (const { days, from, to } of open) {
    const named = `The opening time from ${from} to ${to}`;
    if (days.length === 0) return `${named} has no days, so it never opens.`;
    if (timeOfDay(from) === null || endOfDay(to) === null) {
      return `${named} is not written as two times of day such as 22:00 and 06:00.`;
    }
    if (timeOfDay(from) === endOfDay(to)) {
      return `${named} ends when it begins, so it never opens; a whole day is from 00:00 to 24:00.`;
    }
  }
  return null;
}

interface Span {
  /** Milliseconds since Monday, 00:00, on the zone's clocks. */
  readonly from: number;
  readonly to: number;
}

/** The opening times of a week, in order; none touches another. */
function weekOf({ open }: Windows): Span[] {
  const spans = open.flatMap(({ days, from, to }) =>
    days.flatMap((day) => {
      const begins = weekDays.indexOf(day) * dayMs + (timeOfDay(from) ?? 0);
      const length = (endOfDay(to) ?? 0) - (timeOfDay(from) ?? 0);
      const ends = begins + (length <= 0 ? length + dayMs : length);
      return ends <= weekMs
        ? [{ from: begins, to: ends }]
        : [
            { from: begins, to: weekMs },
            { from: 0, to: ends - weekMs },
          ];
    }),
  );
  const merged: Span[] = [];
  for (const span of spans.sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last === undefined || last.to < span.from) merged.push(span);
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return merged;
}

export interface Opening {
  readonly open: boolean;
  /** The instant at which `open` changes; null: never. */
  readonly until: number | null;
}

/** Whether a host with these windows is open at an instant, and for how long it stays so. */
export function openingAt(windows: Windows, at: number): Opening {
  const week = weekOf(windows);
  const inWeek = (instant: number): number => {
    const time = (wallTime(windows.timeZone, instant) - aMonday) % weekMs;
    return time < 0 ? time + weekMs : time;
  };
  const isOpen = (instant: number): boolean => {
    const time = inWeek(instant);
    return week.some(({ from, to }) => from <= time && time < to);
  };
  const open = isOpen(at);
  const [first] = week;
  if (first?.from === 0 && first.to === weekMs) return { open, until: null };
  // The end of the week is an edge too: after it, the search goes on with the spans of the next week.
  const edges = [...week.map(({ from, to }) => (open ? to : from)), weekMs];
  for (let from = at; ;) {
    const time = inWeek(from);
    const edge = from + Math.min(...edges.filter((each) => each > time)) - time;
    const shift = nextShift(windows.timeZone, from, edge) ?? edge;
    if (isOpen(shift) !== open) return { open, until: shift };
    from = shift;
  }
}

/** The first instant from `at` on at which the host is open. @param windows null: the host is always open */
export function nextOpening(windows: Windows | null, at: number): number {
  if (windows === null) return at;
  const { open, until } = openingAt(windows, at);
  return open || until === null ? at : until;
}
