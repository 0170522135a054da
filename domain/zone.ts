/**
 * What wall clocks show in the time zones of the IANA database. Pure: the instant is always an argument. Instants are
 * milliseconds since 1970; a wall time is the instant at which a clock in UTC would show the same.
 */

/** One formatter for each zone: making a formatter takes far longer than using it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  clocks.set(timeZone, made);
  return made;
}

/** Is this a name of the IANA database, such as Europe/Berlin or UTC? Plain offsets such as +02:00 are not. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    clockOf(name);
    return true;
  } catch {
    return false;
  }
}

/** @throws RangeError where there is no such zone */
export function wallTime(timeZone: string, at: number): number {
  const shown = clockOf(timeZone).format(at);
  const [, month, day, year, hour, minute, second] =
    /^(\d\d)\/(\d\d)\/(\d+), (\d\d):(\d\d):(\d\d)$/.exec(shown)?.map(Number) ?? [];
  if (year === undefined || month === undefined) throw new RangeError(`no time can be read in ${shown}`);
  const milliseconds = ((at % 1_000) + 1_000) % 1_000;
  return Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
}

/** Milliseconds that clocks of the zone are ahead of UTC. */
const offsetAt = (timeZone: string, at: number): number => wallTime(timeZone, at) - at;

/** No zone has changed its clocks twice within this many milliseconds. */
const stepMs = 6 * 3_600_000;

/** The first instant after `from`, up to `to`, at which the zone's offset from UTC changes; null: none. */
export function nextShift(timeZone: string, from: number, to: number): number | null {
  const before = offsetAt(timeZone, from);
  for (let low = from; low < to; low += stepMs) {
    const high = Math.min(low + stepMs, to);
    if (offsetAt(timeZone, high) !== before) return bisect(timeZone, before, low, high);
  }
  return null;
}

/** The first instant with another offset. The offset must be `before` at `low`, and different at `high`. */
function bisect(timeZone: string, before: number, low: number, high: number): number {
  let [still, changed] = [Math.floor(low), Math.ceil(high)];
  while (changed - still > 1) {
    const middle = Math.floor((still + changed) / 2);
    if (offsetAt(timeZone, middle) === before) still = middle;
    else changed = middle;
  }
  return changed;
}

const dayMs = 86_400_000;

export interface LocalDay {
  /** Such as 2026-03-29. */
  readonly day: string;
  /** The first instant after `at` that belongs to a later day. */
  readonly endsAt: number;
}

/**
 * The calendar day at an instant. The day ends when clocks first show a later date. If clocks go forward over midnight,
 * the day ends at that change. If clocks show midnight twice, the day ends the first time; the time after clocks have
 * gone back over midnight is a day of the same name with an end of its own.
 */
export function localDay(timeZone: string, at: number): LocalDay {
  const dateOf = (instant: number): number => Math.floor(wallTime(timeZone, instant) / dayMs);
  const today = dateOf(at);
  for (let from = at; ;) {
    const midnight = from + ((today + 1) * dayMs - wallTime(timeZone, from));
    const shift = nextShift(timeZone, from, midnight);
    if (shift === null || dateOf(shift) > today) {
      return { day: new Date(today * dayMs).toISOString().slice(0, 10), endsAt: shift ?? midnight };
    }
    from = shift;
  }
}
