import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  emptySketch,
  linkLevel,
  noteSource,
  readSketch,
  sketchText,
  sourcesOf,
} from '../../../domain/priority/link-sketch.ts';

const sketchOf = (sources: Iterable<number>) => {
  const sketch = emptySketch();
  for (const source of sources) noteSource(sketch, source);
  return sketch;
};

describe('the sketch of who links to a URL', () => {
  it('counts a source once, however often and in whatever order it comes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (sources) => {
        const once = sketchOf(new Set(sources));
        expect(sketchOf([...sources].reverse())).toEqual(once);
        expect(sources.every((source) => !noteSource(once, source))).toBe(true);
      }),
    );
  });

  it('is joined by OR, as Postgres stores it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.array(fc.integer()), (one, other) => {
        const joined = BigInt(sketchText(sketchOf(one))) | BigInt(sketchText(sketchOf(other)));
        expect(readSketch(String(joined))).toEqual(sketchOf([...one, ...other]));
      }),
    );
  });

  it.each([1, 2, 4, 16, 50, 100, 200])('tells about how many of %i sources there were', (sources) => {
    const errors = Array.from({ length: 200 }, (_, run) => {
      const told = sourcesOf(sketchOf(Array.from({ length: sources }, (_source, at) => run * 1_000 + at)));
      return Math.abs(told - sources) / sources;
    });
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    expect(mean).toBeLessThan(sources === 1 ? 0.001 : 0.25);
  });

  it('changes its level at most sixteen times', () => {
    const sketch = emptySketch();
    const levels = new Set<number>();
    for (let source = 0; source < 100_000; source++) {
      noteSource(sketch, source);
      levels.add(linkLevel(sourcesOf(sketch)));
    }
    expect(levels.size).toBeLessThanOrEqual(16);
    expect(sourcesOf(sketch)).toBe(266);
  });
});
