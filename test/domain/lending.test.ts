/** What a host is owed before it is lent, and what a foreign fetcher's words mean (F37). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fetchFaults } from '../../domain/fault.ts';
import { isHeld } from '../../domain/lease.ts';
import {
  earned,
  fieldValue,
  heldMs,
  outerShards,
  owedMs,
  reported,
  shardsBehind,
  type Owed,
} from '../../domain/lending.ts';

const rested: Owed = { unclean: false, asked_ago_ms: null, took_ms: null, pace_ms: 0, held_ms: 0 };
const pace = (delayMs: number, factor: number | null = null) => ({ delayMs, factor });

describe('what a host is owed', () => {
  it('is nothing where it was never asked', () => {
    expect(owedMs(rested, pace(60_000))).toEqual({ paceMs: 0, waitMs: 0 });
  });

  it('is a full delay where the lease before was not returned, however long ago its last answer was', () => {
    expect(owedMs({ ...rested, unclean: true, asked_ago_ms: 1e9 }, pace(5_000)).waitMs).toBe(5_000);
  });

  it('is never less than what is left of the delay, of the pace that was left, or of Retry-After', () => {
    const ms = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(
        fc.record({ unclean: fc.boolean(), asked_ago_ms: fc.option(ms), took_ms: fc.option(ms), pace_ms: ms, held_ms: ms }), // prettier-ignore
        ms,
        fc.option(fc.integer({ min: 1, max: 100 })),
        (host, delayMs, factor) => {
          const { paceMs, waitMs } = owedMs(host, pace(delayMs, factor));
          expect(waitMs).toBeGreaterThanOrEqual(Math.max(paceMs, host.held_ms));
          expect(paceMs).toBeGreaterThanOrEqual(host.pace_ms);
          if (host.unclean) expect(paceMs).toBeGreaterThanOrEqual(delayMs);
          else if (host.asked_ago_ms !== null)
            expect(paceMs).toBeGreaterThanOrEqual(delayMs - host.asked_ago_ms);
        },
      ),
    );
  });

  it('counts an answer of the future as one of now', () => {
    expect(owedMs({ ...rested, asked_ago_ms: -50_000 }, pace(1_000)).waitMs).toBe(1_000);
  });
});

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
