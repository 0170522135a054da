import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shardOf } from '../../domain/shard.ts';

const origin = fc.webUrl().map((url) => new URL(url).origin);

describe('shardOf (F09)', () => {
  // Vectors of FNV-1a, 32 bits (draft-eastlake-fnv, appendix): the answer is stored, so it must never change.
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('%j hashes to %i', (text, hash) => {
    expect(shardOf(text, 2 ** 32)).toBe(hash);
    expect(shardOf(text, 64)).toBe(hash % 64);
  });

  it('is one of the shards, and the only one where there is one', () => {
    fc.assert(
      fc.property(origin, fc.integer({ min: 1, max: 64 }), (name, shards) => {
        const shard = shardOf(name, shards);
        expect(Number.isInteger(shard) && shard >= 0 && shard < shards).toBe(true);
        expect(shardOf(name, 1)).toBe(0);
      }),
    );
  });

  it('spreads hosts about evenly', () => {
    const counts = new Array<number>(16).fill(0);
    for (let host = 0; host < 16_000; host++) {
      const shard = shardOf(`https://www${String(host)}.example.org`, 16);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(800);
    expect(Math.max(...counts)).toBeLessThan(1_200);
  });
});
