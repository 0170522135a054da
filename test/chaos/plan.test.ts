import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describe, faultKinds, planFaults } from './plan.ts';

const options = { seed: 7, count: 40, withinMs: 150_000, kinds: faultKinds };

it('brings the same plan back for a seed, and another for another', () => {
  expect(planFaults(options)).toEqual(planFaults(options));
  expect(planFaults(options)).not.toEqual(planFaults({ ...options, seed: 8 }));
});

it('strikes in order, within the time, with the kinds asked for and no others', () => {
  const chosen = fc.subarray([...faultKinds], { minLength: 1 });
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 80 }), chosen, (seed, count, kinds) => {
      const plan = planFaults({ seed, count, withinMs: 60_000, kinds });
      expect(plan).toHaveLength(count);
      const times = plan.map(({ atMs }) => atMs);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(Math.max(...times)).toBeLessThanOrEqual(60_000);
      expect(plan.filter(({ kind }) => !kinds.includes(kind))).toEqual([]);
    }),
  );
});

it('has every kind within one round, and in a long run every part', () => {
  expect(new Set(planFaults({ ...options, count: 9 }).map(({ kind }) => kind))).toEqual(new Set(faultKinds));
  const all = new Set(
    planFaults({ ...options, count: 120 }).map((fault) => describe(fault).replace(/ for .*/, '')),
  );
  for (const part of [
    'worker',
    'worker-2',
    'api',
    'temporal',
    'postgres',
    'redis',
    'supervisor',
    'services',
    'worker-render at a page',
    'browser at a page',
  ]) {
    expect(all).toContain(`kill -9 ${part}`);
  }
  for (const part of [
    ...['worker', 'both workers', 'api', 'temporal', 'postgres', 'redis'],
    ...['worker-render at a page', 'browser at a page'],
  ]) {
    expect(all).toContain(`freeze ${part}`);
  }
  for (const line of ['postgres', 'temporal', 'redis']) expect(all).toContain(`cut ${line} (refusing)`);
});
