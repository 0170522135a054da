/** Outages by 5xx answers (docs/design.md, "Trouble"; RFC 9110 §15.6). */
import { expect, it } from 'vitest';
import { afterOutage, noOutages, outageMs } from '../../domain/host-memory.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

it('an outage lasts an hour, twice as long each time within a day, and a day at most', () => {
  let memory = noOutages;
  let now = 0;
  const waits = Array.from({ length: 7 }, () => {
    const waitMs = outageMs(memory, now);
    memory = afterOutage(memory, now);
    now += waitMs + minute;
    return waitMs / hour;
  });
  expect(waits).toEqual([1, 2, 4, 8, 16, 24, 24]);
});

it('an outage is forgotten once the host was well for a day after its end', () => {
  const memory = afterOutage(afterOutage(noOutages, 0), hour);
  expect(outageMs(memory, hour + 2 * day - 1)).toBe(4 * hour);
  expect(outageMs(memory, hour + 2 * day)).toBe(hour);
  expect(afterOutage(memory, hour + 2 * day).outages).toBe(1);
});
