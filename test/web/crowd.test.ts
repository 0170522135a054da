import { describe, expect, it } from 'vitest';
import { mostTogether, mostWithin } from './crowd.ts';

const exchanges = [
  { start: 0, end: 100 },
  { start: 50, end: 200 },
  { start: 100, end: 1_400 },
  { start: 1_000, end: null },
  { start: 1_050, end: 1_060 },
];

describe('a crowd', () => {
  it('has as many requests in a second as began within any second', () => {
    expect(mostWithin(exchanges, 1_000)).toBe(3);
    expect(mostWithin(exchanges, 1_001)).toBe(4);
    expect(mostWithin([], 1_000)).toBe(0);
  });

  it('has as many in flight as overlap at an instant', () => {
    expect(mostTogether(exchanges)).toBe(3);
    expect(mostTogether(exchanges.slice(0, 3))).toBe(2);
    expect(mostTogether([])).toBe(0);
  });
});
