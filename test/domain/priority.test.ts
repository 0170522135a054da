import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { urlPriority } from '../../domain/priority.ts';

describe('urlPriority (F02, the signals known when a URL is found)', () => {
  it('puts seeds before their links, and those before theirs', () => {
    expect(urlPriority('page', 0)).toBe(1);
    expect(urlPriority('page', 1)).toBe(0.5);
    expect(urlPriority('page', 3)).toBe(0.25);
  });

  it('falls with depth, also as the 4-byte float it is stored as, and stays below every sitemap', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 1_000 }), (depth, other) => {
        const stored = Math.fround(urlPriority('page', depth));
        expect(stored).toBeGreaterThan(Math.fround(urlPriority('page', depth + 1)));
        expect(stored).toBeGreaterThan(0);
        expect(stored).toBeLessThan(urlPriority('sitemap', other));
      }),
    );
  });
});
