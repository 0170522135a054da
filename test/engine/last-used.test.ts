import { expect, it } from 'vitest';
import { lastUsed } from '../../engine/last-used.ts';

it('what has gone unused the longest makes room', () => {
  const kept = lastUsed<string, number>(2);
  kept.set('a', 1).set('b', 2);
  expect(kept.get('a')).toBe(1);
  kept.set('c', 3);
  expect([kept.get('a'), kept.get('b'), kept.get('c'), kept.size]).toEqual([1, undefined, 3, 2]);
});

it('room for many costs nothing until they come', () => {
  const before = process.memoryUsage().heapUsed;
  const kept = lastUsed<number, true>(10_000_000, 1_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
  expect(kept.size).toBe(0);
});
