/** Rounds of one process, over its lanes. */
import { expect, it } from 'vitest';
import { Company } from '../../engine/rendering/company.ts';
import { closedGate } from '../support/gate.ts';

it('a page that goes alone waits for all that are under way, and those that come wait for it', async () => {
  const company = new Company();
  const under = new Set<string>();
  const seen: string[] = [];
  const round = (name: string) => {
    const gate = closedGate();
    const run = async (): Promise<void> => {
      under.add(name);
      seen.push([...under].join(' '));
      await gate.opened;
      under.delete(name);
      if (name === 'lost') throw new Error('the browser is gone');
    };
    return {
      run,
      end: () => {
        gate.open();
      },
    };
  };
  const [a, b, lost, second, late] = ['a', 'b', 'lost', 'second', 'late'].map(round);
  if (!a || !b || !lost || !second || !late) throw new Error('a round is missing');
  const all = [company.beside(a.run), company.beside(b.run)];
  all.push(company.alone(lost.run), company.beside(late.run), company.alone(second.run));
  const ends = Promise.allSettled(all);
  for (const each of [b, a, lost, second, late]) {
    // Whoever may begin by now has begun.
    await new Promise(setImmediate);
    each.end();
  }
  expect((await ends).map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  ]);
  expect(seen).toEqual(['a', 'a b', 'lost', 'second', 'late']);
});
