/** What the alert on requests that left too soon goes by (boards/alerts.ts). */
import { expect, it } from 'vitest';
import { countedSeries } from '../../engine/metrics/counters.ts';
import { noteDeparture } from '../../engine/visit/politeness.ts';

it('a request that left before the delay of its host was over is counted, and no other', async () => {
  const counted = async (): Promise<number> => {
    const { values } = await countedSeries('requests_early_total').get();
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  // Other tests of the process count, too.
  const before = await counted();
  for (const isTooSoon of [false, true, false]) noteDeparture(0.1, isTooSoon);
  expect((await counted()) - before).toBe(1);
});
