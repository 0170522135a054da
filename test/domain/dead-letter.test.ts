/** Dead letters: their classes, when they may go again, and of which crawls (docs/design.md, "Dead letters and probes"). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addRedriven,
  deadLetterClasses,
  hostCausedClasses,
  isDeadLetterClass,
  noneRedriven,
  redriveBar,
  redriveNotBefore,
  type RedriveCounts,
  type RedriveCrawl,
} from '../../domain/dead-letter.ts';
import type { FetchFault } from '../../domain/fault.ts';
import { judgeAnswer, type Answer } from '../../domain/outcome.ts';
import { troubleClasses } from '../../domain/trouble.ts';
import { runs } from '../support/runs.ts';

const faults: readonly FetchFault[] = [
  ...['address-refused', 'protocol', 'reset', 'timeout', 'dns-not-found', 'dns-unavailable'],
  ...['connect-refused', 'connect-timeout', 'tls'],
] as readonly FetchFault[];
const answer: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({
    kind: fc.constant('response' as const),
    status: fc.integer({ min: 100, max: 599 }),
    truncated: fc.constantFrom<false | 'too-large' | 'incomplete' | 'bad-encoding'>(
      false,
      'too-large',
      'incomplete',
      'bad-encoding',
    ),
    retryAfterMs: fc.option(fc.nat()),
    wanted: fc.boolean(),
    location: fc.constantFrom('target' as const, 'astray' as const, 'none' as const),
    hasBody: fc.boolean(),
  }),
  fc.constantFrom(...faults).map((fault) => ({ kind: 'fault' as const, fault })),
);

describe('classes', () => {
  it('are all that a URL can fail with', () => {
    fc.assert(
      fc.property(
        answer,
        fc.nat({ max: 5 }),
        fc.nat({ max: 9 }),
        fc.boolean(),
        (given, tries, hops, inARow) => {
          const suspicion = {
            ...{
              inARow: inARow ? 5 : 1,
              knownBad: false,
              othersComplained: inARow,
              well: !inARow,
              alone: inARow,
            },
          };
          const circumstances = { hostFailures: tries, suspicion, outageMs: 3_600_000, isShared: hops > 4 };
          const { url, host } = judgeAnswer(given, { tries, hops, maxRedirects: 5, ...circumstances });
          if (url.state === 'failed') expect(deadLetterClasses).toContain(url.reason);
          // What a parked host leaves behind fails with the class of its trouble.
          if (host.trouble !== null) expect(deadLetterClasses).toContain(host.trouble.class);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  it('are each there once, with those of a host among them', () => {
    expect(new Set(deadLetterClasses).size).toBe(deadLetterClasses.length);
    for (const each of [...troubleClasses, ...hostCausedClasses]) expect(isDeadLetterClass(each)).toBe(true);
    expect(isDeadLetterClass('gone')).toBe(false);
  });

  it('that a host did not cause stay when it comes back', () => {
    for (const own of ['forbidden', 'client-error', 'bad-redirect', 'redirect-loop', 'protocol', 'poison'])
      expect(hostCausedClasses).not.toContain(own);
  });
});

describe('401 and 403 (docs/design.md, "Politeness": no retry for 7 days)', () => {
  it('rest for seven days from the answer; nothing else does', () => {
    const answeredAt = Date.UTC(2026, 2, 1);
    expect(redriveNotBefore('forbidden', answeredAt)).toBe(Date.UTC(2026, 2, 8));
    for (const other of deadLetterClasses.filter((each) => each !== 'forbidden'))
      expect(redriveNotBefore(other, answeredAt)).toBeNull();
  });
});

describe('a crawl', () => {
  const going: RedriveCrawl = {
    ...{ state: 'running', cause: null, reason: null, pages: 3, sinceStartMs: 5_000 },
    ...{ maxPages: null, maxSeconds: null },
  };
  it.each<[Partial<RedriveCrawl>, string | null]>([
    [{}, null],
    [{ state: 'seeding', sinceStartMs: null, maxSeconds: 1 }, null],
    [{ state: 'paused', cause: 'asked', reason: 'an admin asked for it' }, null],
    [{ state: 'finished', cause: 'complete', reason: 'whatever people read' }, null],
    [{ state: 'failed', cause: 'nothing-fetched' }, null],
    [{ state: 'failed', cause: 'not-started' }, 'was never started'],
    [{ state: 'cancelled', cause: 'cancelled' }, 'was cancelled'],
    [{ state: 'draining', cause: 'limit:max-pages' }, 'is ending'],
    [
      { state: 'finished', cause: 'limit:max-pages', reason: 'max-pages' },
      'ended at a limit of its own (max-pages)',
    ],
    [{ maxPages: 4 }, null],
    [{ maxPages: 3 }, 'has all the pages it may have'],
    [{ state: 'finished', cause: 'complete', maxPages: 3 }, 'has all the pages it may have'],
    [{ maxSeconds: 6 }, null],
    [{ maxSeconds: 5 }, 'has had its time'],
  ])('%j: %s', (over, bar) => {
    expect(redriveBar({ ...going, ...over })).toBe(bar);
  });
});

describe('counts of several calls', () => {
  const counts: fc.Arbitrary<RedriveCounts> = fc.record({
    requeued: fc.nat(),
    atParked: fc.nat(),
    resting: fc.nat(),
    notBefore: fc.option(fc.nat()),
    barred: fc.nat(),
  });
  it('add up in any order, with the earliest time', () => {
    fc.assert(
      fc.property(counts, counts, counts, (a, b, c) => {
        const sum = addRedriven(addRedriven(a, b), c);
        expect(sum).toEqual(addRedriven(a, addRedriven(c, b)));
        expect(addRedriven(a, noneRedriven)).toEqual(a);
        const times = [a, b, c].flatMap(({ notBefore }) => (notBefore === null ? [] : [notBefore]));
        expect(sum.notBefore).toBe(times.length === 0 ? null : Math.min(...times));
      }),
    );
  });
});
