/** How much a foreign fetcher is lent, and what its words mean (F37). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fetchFaults } from '../../domain/fault.ts';
import { isHeld } from '../../domain/lease.ts';
import {
  earned,
  fieldValue,
  heldMs,
  mostLoans,
  outerShards,
  reported,
  shardsBehind,
} from '../../domain/lending.ts';

it('tells a fetcher to be done while the lease still holds', () => {
  for (const toldMs of [1_000, 300_000]) {
    const leaseMs = heldMs(toldMs);
    const lease = { monotonicAt: 0, wallAt: 0, leaseMs };
    expect(isHeld(lease, toldMs + leaseMs / 5, 0)).toBe(true);
  }
});

it('has something behind each of its 64 shards, and every host behind one, whatever the number within', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: outerShards }), (shards) => {
      const behind = Array.from({ length: outerShards }, (_, outer) => shardsBehind(outer, shards));
      for (const inner of behind) expect(inner.some((shard) => shard < shards)).toBe(true);
      // Those too that hosts keep from when there were more.
      expect(new Set(behind.flat()).size).toBe(outerShards);
    }),
  );
});

describe('the words of a fetcher', () => {
  it('are its status where it has one', () => {
    expect(reported(404, null)).toEqual({ kind: 'response', status: 404, truncated: false });
    expect(reported(200, 'too-large')).toEqual({ kind: 'response', status: 200, truncated: 'too-large' });
  });

  it.each([
    ['dns_timeout', 'dns-unavailable'],
    ['DNS_TIMEOUT: 5 s', 'dns-unavailable'],
    ['connection_refused', 'connect-refused'],
    ['connect_timeout', 'connect-timeout'],
    ['ssl_error', 'tls'],
    ['the moon', 'protocol'],
  ])('%s are %s', (words, fault) => {
    expect(reported(null, words)).toMatchObject({ kind: 'fault', fault });
  });

  it.each(fetchFaults)('know %s, with and without more words', (fault) => {
    expect(reported(null, fault)).toMatchObject({ kind: 'fault', fault });
    expect(reported(null, `${fault}: and so on`)).toMatchObject({ kind: 'fault', fault });
  });

  it('blame the URL and not its host where nobody knows them, and are fit to be stored', () => {
    fc.assert(
      fc.property(
        fc.option(fc.integer({ min: 100, max: 599 })),
        fc.string({ unit: 'binary' }),
        (status, error) => {
          const said = reported(status, `?${error}`);
          expect(said).toMatchObject({ kind: 'fault', fault: 'protocol' });
          if (said.kind !== 'fault') return;
          expect(said.message).not.toMatch(/\p{Cc}/u);
          expect(said.message.isWellFormed()).toBe(true);
          expect(said.message.length).toBeLessThan(340);
        },
      ),
    );
  });

  it('are no half of a character where they are cut', () => {
    const said = reported(null, `timeout: ${'a'.repeat(290)}\u{1f600}`);
    expect(said.kind === 'fault' && said.message.isWellFormed()).toBe(true);
    expect(fieldValue('a\u0000\r\nb\ud800').isWellFormed()).toBe(true);
    expect(fieldValue('a\u0000\r\nb')).toBe('a b');
  });

  it('give a URL back', () => {
    expect(reported(null, 'not-tried')).toEqual({ kind: 'not-tried' });
    expect(reported(null, 'not-tried: no time')).toEqual({ kind: 'not-tried' });
  });
});

describe('earned', () => {
  const asked = { batchSize: 100, toldMs: 300_000 };
  it.each<[string, { settled: number; lapsed: number }, { batchSize: number; toldMs: number }]>([
    ['a fetcher that is new', { settled: 0, lapsed: 0 }, asked],
    ['one that reports all', { settled: 5_000, lapsed: 0 }, asked],
    ['one that let as many run out as are forgiven', { settled: 0, lapsed: 10 }, { batchSize: 50, toldMs: 150_000 }],
    ['one that holds hosts and never reports', { settled: 0, lapsed: 99_990 }, { batchSize: 1, toldMs: 1_000 }],
    ['one that has earned it back', { settled: 90, lapsed: 10 }, { batchSize: 90, toldMs: 272_727 }],
  ])('%s', (_, loans, lent) => {
    expect(earned(asked, loans)).toEqual(lent);
  }); // prettier-ignore
});

it.each([
  ['a tenant that is new', { settled: 0, lapsed: 0 }, 100],
  ['one that reports all', { settled: 1_000, lapsed: 0 }, 10_100],
  ['one that lost a fetcher among many', { settled: 10_000, lapsed: 20 }, 5_005],
  ['one that has let ten run out', { settled: 0, lapsed: 10 }, 10],
  ['one that lets all run out', { settled: 0, lapsed: 10_000 }, 1],
])('%s has so many loans at a time, over all hosts', (_, loans, most) => {
  expect(mostLoans(loans)).toBe(most);
});
