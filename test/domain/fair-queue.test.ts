import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../domain/fair-queue.ts';

/** Takes turns among flows that always want one more, and answers how many each had. */
function serve(costs: readonly number[], turns: number): number[] {
  const queue = new FairQueue<number>();
  const had = costs.map(() => 0);
  for (const [flow, cost] of costs.entries()) queue.add(flow, cost, flow);
  for (let turn = 0; turn < turns; turn++) {
    const flow = queue.take() ?? 0;
    had[flow] = (had[flow] ?? 0) + 1;
    queue.add(flow, costs[flow] ?? 1, flow);
  }
  return had;
}

describe('turns by start-time fair queuing', () => {
  it('give each flow the same cost, but for one turn', () => {
    const flows = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(flows, fc.integer({ min: 1, max: 500 }), (costs, turns) => {
        const totals = serve(costs, turns).map((had, flow) => had * (costs[flow] ?? 0));
        expect(Math.max(...totals) - Math.min(...totals)).toBeLessThanOrEqual(2 * Math.max(...costs));
      }),
    );
  });

  it('come next to whoever is new, however many of another wait and however much it had', () => {
    const queue = new FairQueue<string>();
    for (let turn = 0; turn < 1_000; turn++) {
      queue.add(1, 10, 'old');
      queue.take();
    }
    for (let turn = 0; turn < 60; turn++) queue.add(1, 10, 'old');
    expect(queue.take()).toBe('old');
    queue.add(2, 10, 'new');
    expect(queue.take()).toBe('new');
    // And it is owed nothing for the time in which it was not there.
    queue.add(2, 10, 'new');
    expect([queue.take(), queue.take()].sort()).toEqual(['new', 'old']);
  });

  it('are given to everybody once, in the order of their coming within a flow', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 9 }))), (asked) => {
        const queue = new FairQueue<readonly [flow: number, at: number]>();
        for (const [at, [flow, cost]] of asked.entries()) queue.add(flow, cost, [flow, at]);
        const given = Array.from({ length: asked.length }, () => queue.take());
        expect(queue.take()).toBeUndefined();
        expect(queue.length).toBe(0);
        for (const flow of [0, 1, 2, 3]) {
          const order = given.filter((turn) => turn?.[0] === flow).map((turn) => turn?.[1] ?? -1);
          expect(order).toEqual([...order].sort((one, other) => one - other));
        }
        expect(given.map((turn) => turn?.[1] ?? -1).sort((one, other) => one - other)).toEqual([
          ...asked.keys(),
        ]);
      }),
    );
  });
});
