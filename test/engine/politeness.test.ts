/** What the alert on requests that left too soon goes by (boards/alerts.ts). */
import { expect, it } from 'vitest';
import { countedSeries } from '../../engine/metrics/counters.ts';
import { noteDeparture } from '../../engine/visit/politeness.ts';

it('a request that left before the delay of its host was over is counted, and no other', async () => {
  for (const isTooSoon of [false, true, false]) noteDeparture(0.1, isTooSoon);
  expect(await countedSeries('requests_early_total').get()).toMatchObject({ values: [{ value: 1 }] });
});
