/** Waits that are looked at again and again (engine/visit/sleep.ts). */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sleepBy } from '../../engine/visit/sleep.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  // Before the clock: a spy puts back what it was made over, which is a false timer.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('a wait that is looked at again and again', () => {
  const never = new AbortController().signal;

  /** Sleeps by these answers. Answers when each was asked for, and when the wait was over, in milliseconds. */
  async function lookedAt(answers: readonly number[]): Promise<{ asked: number[]; over: number }> {
    const begun = Date.now();
    const asked: number[] = [];
    const waiting = sleepBy(() => {
      asked.push(Date.now() - begun);
      return answers[asked.length - 1] ?? 0;
    }, never);
    await vi.runAllTimersAsync();
    await waiting;
    return { asked, over: Date.now() - begun };
  }

  it('lasts as long as each look says, never less, with one timer for looks that say the same', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const { asked, over } = await lookedAt([1_000, 1_000, 1_000, 400.5, 0]);
    expect(asked).toEqual([0, 1_001, 2_002, 3_003, 3_405]);
    expect(over).toBe(3_405);
    expect(timers).toHaveBeenCalledTimes(2);
  });

  it('is none where the first look says so', async () => {
    expect(await lookedAt([0])).toEqual({ asked: [0], over: 0 });
  });

  it('ends with its signal, and looks no more', async () => {
    const ending = new AbortController();
    const next = vi.fn(() => 1_000);
    const waiting = sleepBy(next, ending.signal);
    await vi.advanceTimersByTimeAsync(1_500);
    ending.abort();
    await waiting;
    expect(next).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
    await sleepBy(next, ending.signal);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('fails with a look that fails', async () => {
    const next = vi.fn(() => 1_000);
    const waiting = sleepBy(next, never);
    next.mockImplementation(() => {
      throw new RangeError('no such time');
    });
    const failed = expect(waiting).rejects.toThrow('no such time');
    await vi.advanceTimersByTimeAsync(2_000);
    await failed;
    expect(vi.getTimerCount()).toBe(0);
  });
});
