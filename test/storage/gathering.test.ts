import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Gathering } from '../../storage/gathering.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Batches as they are begun; each lasts `workMs`. */
function gathering(workMs = 0, most = 100): { readonly of: Gathering<string>; readonly batches: string[] } {
  const batches: string[] = [];
  const of = new Gathering<string>(
    (waiting) => Math.min(waiting.length, most),
    async (batch) => {
      batches.push(batch.join(''));
      await new Promise((done) => setTimeout(done, workMs));
    },
    8,
  );
  return { of, batches };
}
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

describe('Gathering (docs/decisions/0008-group-commit.md)', () => {
  it('works together what comes within the least time', async () => {
    const { of, batches } = gathering();
    of.add('a', 0);
    await pass(7);
    of.add('b', 0);
    expect(batches).toEqual([]);
    await pass(1);
    expect(batches).toEqual(['ab']);
  });

  it('lets nobody wait for company after a batch of one, until others come again', async () => {
    const { of, batches } = gathering(5);
    of.add('a', 0);
    await pass(8 + 5);
    of.add('b', 0);
    await pass(1);
    expect(batches).toEqual(['a', 'b']);
    of.add('c', 0);
    of.add('d', 0);
    await pass(5);
    of.add('e', 0);
    await pass(5 + 7);
    expect(batches).toEqual(['a', 'b', 'cd']);
    await pass(1);
    expect(batches).toEqual(['a', 'b', 'cd', 'e']);
  });

  it('lets the patient wait, for 200 ms at most', async () => {
    const { of, batches } = gathering();
    of.add('a', 100);
    of.add('b', 5_000);
    await pass(99);
    expect(batches).toEqual([]);
    await pass(1);
    expect(batches).toEqual(['ab']);
    of.add('c', 5_000);
    await pass(199);
    expect(batches).toHaveLength(1);
    await pass(1);
    expect(batches).toEqual(['ab', 'c']);
  });

  it('lets nobody wait for the patient', async () => {
    const { of, batches } = gathering();
    of.add('a', 150);
    await pass(20);
    of.add('b', 0);
    await pass(8);
    expect(batches).toEqual(['ab']);
  });

  it('works one batch at a time, and gathers again what came meanwhile or did not fit', async () => {
    const { of, batches } = gathering(50, 2);
    for (const item of 'abc') of.add(item, 0);
    await pass(8);
    expect(batches).toEqual(['ab']);
    of.add('d', 0);
    await pass(57);
    expect(batches).toEqual(['ab']);
    await pass(1);
    expect(batches).toEqual(['ab', 'cd']);
    await pass(1_000);
    expect(batches).toHaveLength(2);
  });
});
