/** Numbers that depend on nothing but their seed, so that the same web comes back on every machine. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer in [0, bound); 0 for a bound of 1 or less. */
  below(bound: number): number;
  /** One of `items`, which must not be empty. */
  pick<T>(items: readonly T[]): T;
  /** True with this probability. */
  chance(probability: number): boolean;
}

/**
 * mulberry32 over a state mixed from `parts`. Equal parts give equal sequences; parts that differ anywhere give
 * unrelated ones, so each page can be drawn by itself and in any order.
 */
export function randomFrom(...parts: readonly number[]): Random {
  let state = 0x9e3779b9;
  for (const part of parts) {
    state = Math.imul(state ^ part, 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
    state ^= state >>> 16;
  }
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    below: (bound) => Math.floor(next() * Math.max(1, bound)),
    pick: (items) => {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    chance: (probability) => next() < probability,
  };
}
