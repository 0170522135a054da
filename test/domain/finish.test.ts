import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  judgeFinish,
  type CrawlLimits,
  type CrawlProgress,
  type FinishVerdict,
  waitsForNeeds,
} from '../../domain/finish.ts';

const endless = { maxPages: null, maxSeconds: null, finish: null };
const nothingLeft: CrawlProgress = {
  queued: 0,
  leased: 0,
  pending: 0,
  pages: 7,
  parked: 0,
  runningMs: 90_000,
  bytes: 5_000,
  counters: {},
};

const verdictOf = (progress: CrawlProgress, limits: Partial<CrawlLimits>): FinishVerdict['verdict'] =>
  judgeFinish(progress, { ...endless, ...limits }).verdict;

describe('judgeFinish', () => {
  it.each<[string, Partial<CrawlProgress>, FinishVerdict['verdict']]>([
    ['nothing left', {}, 'complete'],
    ['something queued', { queued: 1 }, 'going'],
    ['something in flight', { leased: 1 }, 'going'],
    // Its links are not known yet.
    ['a body that was not read', { pending: 1 }, 'going'],
    // Nothing happens there until somebody acts: it would never end.
    ['only URLs of parked hosts', { queued: 3, parked: 3 }, 'complete'],
    ['more than those', { queued: 4, parked: 3 }, 'going'],
  ])('%s', (_, progress, verdict) => {
    expect(judgeFinish({ ...nothingLeft, ...progress }, endless)).toEqual({ verdict });
  });

  it('ends at its limits', () => {
    const going = { ...nothingLeft, queued: 5 };
    expect(verdictOf(going, { maxPages: 8, maxSeconds: null })).toBe('going');
    expect(verdictOf(going, { maxPages: 7, maxSeconds: null })).toBe('limit:max-pages');
    expect(verdictOf(going, { maxPages: null, maxSeconds: 91 })).toBe('going');
    expect(verdictOf(going, { maxPages: null, maxSeconds: 90 })).toBe('limit:max-seconds');
    expect(verdictOf({ ...going, pages: 0 }, { maxPages: 0, maxSeconds: null })).toBe('limit:max-pages');
  });

  it('has what its pages need before a limit of pages ends it, and no other limit waits', () => {
    const going = { ...nothingLeft, queued: 5, needs: true };
    const limits = { maxPages: 7, maxSeconds: null };
    expect(verdictOf(going, limits)).toBe('limit:max-pages');
    expect(verdictOf(going, { ...limits, requisites: true })).toBe('going');
    expect(verdictOf({ ...going, needs: false, pending: 1 }, { ...limits, requisites: true })).toBe('going');
    expect(verdictOf({ ...going, needs: false }, { ...limits, requisites: true })).toBe('limit:max-pages');
    expect(verdictOf(going, { maxPages: null, maxSeconds: 90, requisites: true })).toBe('limit:max-seconds');
    expect(verdictOf(going, { maxPages: 7, maxSeconds: 90, requisites: true })).toBe('limit:max-seconds');
  });

  it('was ended by its limit of pages, though what was queued was left out while it waited', () => {
    const limits = { maxPages: 7, requisites: true };
    expect(verdictOf({ ...nothingLeft, cut: true }, limits)).toBe('limit:max-pages');
    expect(verdictOf({ ...nothingLeft, cut: true, queued: 2, needs: true }, limits)).toBe('going');
    expect(verdictOf({ ...nothingLeft, cut: true, pages: 6 }, limits)).toBe('complete');
  });

  it('waits for what its pages need only where something can be fetched', () => {
    const limits = { ...endless, maxPages: 7, requisites: true };
    const waits = { ...nothingLeft, queued: 5, needs: true };
    expect(waitsForNeeds(waits, limits)).toBe(true);
    expect(waitsForNeeds({ ...waits, pages: 6 }, limits)).toBe(false);
    expect(waitsForNeeds(waits, { ...limits, requisites: false })).toBe(false);
    // A standing crawl keeps what waits at hosts that are down.
    expect(waitsForNeeds({ ...waits, parked: 5, needs: false }, limits)).toBe(false);
  });

  it('is complete, not cut off, where a limit is reached with the last page', () => {
    expect(verdictOf(nothingLeft, { maxPages: 7, maxSeconds: 90 })).toBe('complete');
  });

  it('ends where finish criteria are met, and says by what', () => {
    const going = { ...nothingLeft, queued: 5 };
    const finish = { any: [{ pages: 8 }, { all: [{ bytes: 5_000 }, { seconds: 60 }] }] };
    expect(judgeFinish({ ...going, bytes: 4_999 }, { ...endless, finish })).toEqual({ verdict: 'going' });
    expect(judgeFinish(going, { ...endless, finish })).toEqual({
      verdict: 'limit:finish-criteria',
      met: '5000 bytes and 60 seconds',
    });
    expect(judgeFinish(nothingLeft, { ...endless, finish })).toEqual({ verdict: 'complete' });
  });

  it('never ends a crawl without limits that has live work', () => {
    const count = fc.nat({ max: 1_000 });
    const progress = fc
      .record({
        queued: count,
        leased: count,
        pending: count,
        pages: count,
        runningMs: count,
        bytes: count,
        counters: fc.constant({}),
      })
      .chain((some) => fc.nat({ max: some.queued }).map((parked) => ({ ...some, parked })));
    fc.assert(
      fc.property(progress, (some) => {
        const live = some.queued > some.parked || some.leased > 0 || some.pending > 0;
        expect(verdictOf(some, {})).toBe(live ? 'going' : 'complete');
      }),
    );
  });
});
