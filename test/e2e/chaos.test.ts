/**
 * A short cut of `npm run chaos`: faults of each kind strike a crawl, which then finishes by itself (F08, G1, G2).
 *
 * @module-tag deep
 */
import { expect, it } from 'vitest';
import { evidenceOf, figuresTable } from '../chaos/report.ts';
import { faultKinds } from '../chaos/plan.ts';
import { runChaos } from '../chaos/run.ts';

const seed = 11;

it('loses nothing and hurries nobody, whatever is killed, frozen, cut, filled or set wrong', async () => {
  const lines: string[] = [];
  const { figures, strikes } = await runChaos({
    seed,
    seconds: 28,
    kinds: faultKinds,
    crawlDelay: 0.3,
    finishSeconds: 90,
    freshSeconds: 8,
    web: {
      hosts: 3,
      pages: 45,
      wrinkles: 1,
      shells: 4,
      latencyMs: 15,
      slowMs: 800,
      retryAfter: 5,
      misfits: ['slow', 'limited', 'limited', 'flaky', 'endless', 'carousel', 'calendar'],
    },
    tell: (line) => lines.push(line),
  });
  const wrong = figures.filter(({ ok }) => !ok);
  expect(wrong, `${lines.join('\n')}\n${figuresTable(figures)}\n${evidenceOf(figures, strikes)}`).toEqual([]);
  expect(strikes.filter(({ hit }) => hit).length).toBeGreaterThanOrEqual(5);
});
