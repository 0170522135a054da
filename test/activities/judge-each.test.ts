/** Judging many URLs by many patterns (engine/edits/judgement.ts) must not hold up the process it happens in. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { judgeEach } from '../../engine/edits/judgement.ts';

const slow = (row: number): number => {
  for (const until = performance.now() + 5; performance.now() < until;);
  return row * 2;
};
const rows = Array.from({ length: 40 }, (_, n) => n);

describe('judging row by row', () => {
  it('lets others have their turn, and answers all in order', async () => {
    const done = new AbortController();
    let turns = 0;
    const others = (async () => {
      for (; !done.signal.aborted; turns++) await turn();
    })();
    expect(await judgeEach(rows, slow)).toEqual(rows.map((row) => row * 2));
    done.abort();
    await others;
    expect(turns).toBeGreaterThanOrEqual(5);
  });

  it('ends between two rows when its time is over', async () => {
    let asked = 0;
    const judged = await judgeEach(rows, slow, () => ++asked === 3);
    // At least a row for each time that it asked; how many fit between two depends on the machine.
    expect(judged.length).toBeGreaterThanOrEqual(3);
    expect(judged.length).toBeLessThan(rows.length);
  });
});
