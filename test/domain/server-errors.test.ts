/** docs/design.md §6: "5xx: exponential backoff; 5 within 24 h: host down for an hour, growing". RFC 9110 §15.6. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterOutage,
  errorsOfOutage,
  isOutage,
  noServerErrors,
  noteAnswer,
  outageMs,
  type ServerErrors,
} from '../../domain/server-errors.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Answers one after another: 'x' a server error, '.' any other. */
const after = (answers: string, everyMs = minute, memory: ServerErrors = noServerErrors, from = 0) =>
  Array.from(answers).reduce(
    (each, answer, at) => noteAnswer(each, answer === 'x', from + at * everyMs),
    memory,
  );

describe('an outage', () => {
  it.each([
    ['xxxxx', true],
    ['xxxx', false],
    ['x..x...x.x.....x', true],
    [`x${'.'.repeat(40)}xxx${'.'.repeat(40)}x`, true],
    [`xxxx${'.'.repeat(100)}x`, false],
    [`xxxx${'.'.repeat(100)}xxxx`, false],
    [`${'.'.repeat(500)}xxxxx`, true],
  ])('after %s: %s', (answers, expected) => {
    expect(isOutage(after(answers))).toBe(expected);
  });

  it('counts what lies within a day', () => {
    expect(isOutage(after('xxxxx', 5 * hour))).toBe(true);
    expect(isOutage(after('xxxxx', 6 * hour))).toBe(false);
  });

  it('lasts an hour, twice as long each time within a day, and a day at most', () => {
    let memory = noServerErrors;
    let now = 0;
    const waits = Array.from({ length: 7 }, () => {
      const waitMs = outageMs(memory, now);
      memory = afterOutage(memory, now);
      expect(isOutage(memory)).toBe(false);
      now += waitMs + minute;
      return waitMs / hour;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 24, 24]);
  });

  it('is forgotten once the host was well for a day after its end', () => {
    const memory = afterOutage(afterOutage(noServerErrors, 0), hour);
    expect(outageMs(memory, hour + 2 * day - 1)).toBe(4 * hour);
    expect(outageMs(memory, hour + 2 * day)).toBe(hour);
    expect(afterOutage(memory, hour + 2 * day).outages).toBe(1);
  });

  it('needs five errors, whatever came in between', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (errors) => {
        let memory = noServerErrors;
        let total = 0;
        errors.forEach((isError, at) => {
          memory = noteAnswer(memory, isError, at);
          total += isError ? 1 : 0;
          if (isOutage(memory)) expect(total).toBeGreaterThanOrEqual(errorsOfOutage);
          expect(memory.errors).toBeLessThanOrEqual(memory.answers);
          expect(memory.answers).toBeLessThanOrEqual(100);
        });
      }),
    );
  });
});
