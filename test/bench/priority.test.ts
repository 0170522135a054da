import { describe, expect, it } from 'vitest';
import { pageRank, reachable, syntheticWeb } from '../../bench/priority/graph.ts';
import { breadthFirst, byScore, captured, inRandomOrder } from '../../bench/priority/orders.ts';
import { defaultWeights } from '../../domain/priority/score.ts';

describe('the order of pages on a synthetic web', () => {
  it.each([1, 2, 3])('brings more importance than breadth-first at every point (web %i)', (seed) => {
    const web = reachable(syntheticWeb(seed, 600));
    const importance = pageRank(web);
    const [ours, breadth, random] = [
      byScore(web, defaultWeights),
      breadthFirst(web),
      inRandomOrder(web, seed),
    ];
    expect(ours.toSorted((a, b) => a - b)).toEqual(web.pages.map((_, at) => at));
    for (const part of [0.1, 0.25, 0.5]) {
      expect(captured(ours, importance, part)).toBeGreaterThan(captured(breadth, importance, part));
      expect(captured(ours, importance, part)).toBeGreaterThan(1.2 * captured(random, importance, part));
    }
  });
});
