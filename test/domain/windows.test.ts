import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  nextOpening,
  openingAt,
  weekDays,
  windowsProblem,
  type OpeningTime,
  type Windows,
} from '../../domain/windows.ts';
import { runs } from '../support/runs.ts';

const berlin = (...open: readonly OpeningTime[]): Windows => ({ timeZone: 'Europe/Berlin', open });
const every = [...weekDays];
const nights: OpeningTime = { days: every, from: '22:00', to: '06:00' };
const at = (text: string): number => Date.parse(text);
const shown = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString().replace('.000Z', 'Z');
const opens = (windows: Windows, from: string): string | null => shown(nextOpening(windows, at(from)));
const closes = (windows: Windows, from: string): string | null => {
  const { open, until } = openingAt(windows, at(from));
  expect(open).toBe(true);
  return shown(until);
};

describe('weekly opening times (F18)', () => {
  it('open at their beginning and close at their end, on the clocks of the zone', () => {
    const office = berlin({ days: ['mon', 'wed'], from: '09:00', to: '17:30' });
    // Monday, 19 January 2026, an hour ahead of UTC.
    expect(openingAt(office, at('2026-01-19T07:59:59.999Z'))).toEqual({
      open: false,
      until: at('2026-01-19T08:00Z'),
    });
    expect(closes(office, '2026-01-19T08:00:00Z')).toBe('2026-01-19T16:30:00Z');
    expect(openingAt(office, at('2026-01-19T16:30Z')).open).toBe(false);
    expect(opens(office, '2026-01-19T16:30:00Z')).toBe('2026-01-21T08:00:00Z');
    expect(opens(office, '2026-01-21T17:00:00Z')).toBe('2026-01-26T08:00:00Z');
    // Two hours ahead in July.
    expect(opens(office, '2026-07-20T00:00:00Z')).toBe('2026-07-20T07:00:00Z');
  });

  it('may go over midnight, and over the end of the week: their days are those they begin on', () => {
    const sundays = berlin({ days: ['sun'], from: '22:00', to: '06:00' });
    expect(opens(sundays, '2026-01-19T12:00:00Z')).toBe('2026-01-25T21:00:00Z');
    expect(closes(sundays, '2026-01-25T21:00:00Z')).toBe('2026-01-26T05:00:00Z');
    expect(closes(sundays, '2026-01-26T04:59:59Z')).toBe('2026-01-26T05:00:00Z');
    expect(openingAt(sundays, at('2026-01-25T05:00:00Z')).open).toBe(false);
  });

  it('that touch or overlap are one', () => {
    const both = berlin(
      { days: ['mon'], from: '08:00', to: '24:00' },
      { days: ['tue'], from: '00:00', to: '10:00' },
    );
    expect(closes(both, '2026-01-19T10:00:00Z')).toBe('2026-01-20T09:00:00Z');
    expect(
      closes(berlin(nights, { days: ['mon'], from: '05:00', to: '07:00' }), '2026-01-19T00:00:00Z'),
    ).toBe('2026-01-19T06:00:00Z');
  });

  it('of all week never close', () => {
    const always = berlin({ days: every, from: '00:00', to: '24:00' });
    expect(openingAt(always, at('2026-03-29T01:00:00Z'))).toEqual({ open: true, until: null });
    expect(
      openingAt(berlin({ days: every, from: '12:00', to: '11:59' }), at('2026-01-19T12:00:00Z')).until,
    ).toBe(at('2026-01-20T10:59:00Z'));
  });

  it('without windows a host is always open', () => {
    expect(nextOpening(null, 123)).toBe(123);
  });
});

describe('days on which clocks are set', () => {
  // Berlin: 29 March 2026, 02:00 becomes 03:00; 25 October 2026, 03:00 becomes 02:00.
  it('an hour that is skipped opens nothing', () => {
    const skipped = berlin({ days: ['sun'], from: '02:10', to: '02:50' });
    expect(opens(skipped, '2026-03-28T12:00:00Z')).toBe('2026-04-05T00:10:00Z');
  });

  it('an opening time that begins in it begins when the clocks have moved, and one that ends in it ends then', () => {
    const late = berlin({ days: ['sun'], from: '02:30', to: '05:00' });
    expect(opens(late, '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00Z');
    expect(closes(late, '2026-03-29T01:00:00Z')).toBe('2026-03-29T03:00:00Z');
    expect(closes(berlin({ days: ['sun'], from: '00:00', to: '02:30' }), '2026-03-29T00:30:00Z')).toBe(
      '2026-03-29T01:00:00Z',
    );
  });

  it('an hour that comes twice is open both times', () => {
    const short = berlin({ days: ['sun'], from: '02:10', to: '02:20' });
    expect(closes(short, '2026-10-25T00:10:00Z')).toBe('2026-10-25T00:20:00Z');
    expect(opens(short, '2026-10-25T00:20:00Z')).toBe('2026-10-25T01:10:00Z');
    expect(closes(short, '2026-10-25T01:10:00Z')).toBe('2026-10-25T01:20:00Z');
    expect(closes(berlin({ days: ['sun'], from: '01:00', to: '03:00' }), '2026-10-24T23:00:00Z')).toBe(
      '2026-10-25T02:00:00Z',
    );
  });

  it('a night is an hour shorter in spring and an hour longer in autumn', () => {
    expect(closes(berlin(nights), '2026-03-28T21:00:00Z')).toBe('2026-03-29T04:00:00Z');
    expect(closes(berlin(nights), '2026-10-24T20:00:00Z')).toBe('2026-10-25T05:00:00Z');
  });

  it('a day that a zone leaves out opens nothing: Samoa had no 30 December 2011', () => {
    const fridays: Windows = {
      timeZone: 'Pacific/Apia',
      open: [{ days: ['fri'], from: '00:00', to: '24:00' }],
    };
    expect(opens(fridays, '2011-12-29T00:00:00Z')).toBe('2012-01-05T10:00:00Z');
  });
});

const zones = [
  ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  // Clocks are set at midnight, by half an hour, and the other way round in the winter.
  ['America/Santiago', '2026-09-06T04:00:00Z'],
  ['Africa/Cairo', '2026-04-23T22:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['Europe/Dublin', '2026-10-25T01:00:00Z'],
  ['Asia/Kathmandu', '2026-06-01T00:00:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ['UTC', '2026-12-31T23:59:00Z'],
] as const;

const minutes = fc.integer({ min: 0, max: 1_439 });
const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
const openingTime = fc
  .record({
    days: fc.uniqueArray(fc.constantFrom(...weekDays), { minLength: 1 }),
    from: minutes,
    length: fc.integer({ min: 1, max: 1_439 }),
  })
  .map(({ days, from, length }): OpeningTime => ({
    days,
    from: clock(from),
    to: clock((from + length) % 1_440),
  }));

/** By what clocks on the wall show, said in the words of the standard library and by nothing of the code above. */
function isOpenByClock({ timeZone, open }: Windows, instant: number): boolean {
  const parts = Object.fromEntries(
    new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit' })
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const day = every.findIndex((name) => name === parts['weekday']?.toLowerCase());
  const time = `${parts['hour'] ?? ''}:${parts['minute'] ?? ''}`;
  const before = every[(day + 6) % 7] ?? 'mon';
  return open.some(({ days, from, to }) =>
    from < to
      ? days.includes(every[day] ?? 'mon') && from <= time && time < to
      : (days.includes(every[day] ?? 'mon') && from <= time) || (days.includes(before) && time < to),
  );
}

describe('openingAt', () => {
  it('says what clocks show, and changes at the first minute at which that does', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.array(openingTime, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: -1_500, max: 300 }),
        ([timeZone, shift], open, minute) => {
          const windows = { timeZone, open };
          const instant = at(shift) + minute * 60_000;
          const opening = openingAt(windows, instant);
          expect(opening.open).toBe(isOpenByClock(windows, instant));
          if (opening.until === null) return;
          expect(opening.until).toBeGreaterThan(instant);
          expect(isOpenByClock(windows, opening.until)).toBe(!opening.open);
          // Nothing changes in between; a week is looked at minute by minute at most.
          const last = Math.min(opening.until, instant + 12 * 3_600_000);
          for (let each = instant; each < last; each += 60_000)
            if (isOpenByClock(windows, each) !== opening.open) expect.unreachable(shown(each) ?? '');
          expect(isOpenByClock(windows, opening.until - 60_000)).toBe(opening.open);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('always finds an opening within two weeks, at which it is open', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        openingTime,
        fc.integer({ min: -20 * 86_400_000, max: 86_400_000 }),
        ([timeZone, shift], time, ms) => {
          const windows = { timeZone, open: [time] };
          const from = at(shift) + ms;
          const opening = nextOpening(windows, from);
          expect(opening).toBeGreaterThanOrEqual(from);
          expect(opening - from).toBeLessThanOrEqual(15 * 86_400_000);
          expect(openingAt(windows, opening).open).toBe(true);
        },
      ),
    );
  });
});

describe('windowsProblem', () => {
  it.each<[string, Windows, RegExp]>([
    ['no opening time', berlin(), /^Windows without an opening time never open\.$/],
    ['no days', berlin({ ...nights, days: [] }), /from 22:00 to 06:00 has no days, so it never opens\.$/],
    ['no length', berlin({ ...nights, to: '22:00' }), /ends when it begins, so it never opens;/],
    ['no time of day', berlin({ ...nights, from: '24:00' }), /not written as two times of day/],
    ['no time of day either', berlin({ ...nights, to: '6:00' }), /not written as two times of day/],
    [
      'no such zone',
      { timeZone: 'Europe/Bärlin', open: [nights] },
      /^There is no time zone "Europe\/Bärlin"/,
    ],
    ['an offset, which knows no summer', { timeZone: '+02:00', open: [nights] }, /^There is no time zone/],
  ])('refuses %s in one sentence', (_, windows, sentence) => {
    expect(windowsProblem(windows)).toMatch(sentence);
  });

  it('finds nothing wrong with what opens', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.array(openingTime, { minLength: 1 }), ([timeZone], open) => {
        expect(windowsProblem({ timeZone, open })).toBeNull();
      }),
    );
    expect(windowsProblem(berlin({ days: ['mon'], from: '00:00', to: '24:00' }))).toBeNull();
  });
});
