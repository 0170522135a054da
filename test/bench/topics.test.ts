import { describe, expect, it } from 'vitest';
import { breadthFirst } from '../../bench/priority/orders.ts';
import { byRelevance, harvest, textOf, topicalWeb } from '../../bench/priority/topics.ts';
import { focusedWeights } from '../../domain/priority/score.ts';
import { tellingTerms } from '../../domain/relevance/terms.ts';

describe('a focused crawl on a web of topics', () => {
  it.each([1, 2])(
    'harvests at least twice as much as breadth-first after a fifth of the pages (web %i)',
    (seed) => {
      const web = topicalWeb(seed, 100);
      const pagesOf = (topic: number): number => web.topics.filter((one) => one === topic).length;
      const topic = web.words
        .map((_, at) => at)
        .reduce((one, other) => (pagesOf(other) < pagesOf(one) ? other : one));
      const about = web.topics.flatMap((one, number) => (one === topic ? [number] : []));
      const examples = about.slice(0, 3).map((number) => tellingTerms(textOf(web, number), 40).join(' '));
      const breadth = harvest(breadthFirst(web), web, topic, 0.2);
      for (const focus of [
        { words: web.words[topic]?.slice(0, 5) ?? [], examples: [] },
        { words: [], examples },
      ]) {
        const order = byRelevance(web, focus, focusedWeights);
        expect(order).toHaveLength(web.pages.length);
        expect(harvest(order, web, topic, 0.2)).toBeGreaterThan(2 * breadth);
      }
    },
  );
});
