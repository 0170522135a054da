/** Outages in words, and what a process still has to tell of its own. */
import { describe, expect, it } from 'vitest';
import { isWhole, outageBecause, OutageLog, outageText, type Outage } from '../../domain/outage.ts';

const since = '2026-03-01T08:00:00.000Z';
const full: Outage = { dependency: 'blobs', since, why: 'ENOSPC: no space left', workers: 2, of: 2 };

describe('an outage', () => {
  it('is told with what is out, since when, why, and what does not go on', () => {
    expect(outageText(full)).toBe(
      `The blob store is out since ${since} (ENOSPC: no space left): no page is fetched until that is over, and no host or URL is blamed.`,
    );
    expect(outageText({ ...full, workers: 1, why: null })).toContain(
      `is out at 1 of 2 workers since ${since}:`,
    );
  });

  it('stops everything if every worker that fetches sees it', () => {
    expect([isWhole(full), isWhole({ ...full, workers: 1 })]).toEqual([true, false]);
    expect(outageBecause([{ ...full, workers: 1 }])).toBeNull();
    expect(outageBecause([full])).toBe(outageText(full));
  });
});

describe('what a process has to tell', () => {
  const disk = { dependency: 'blobs', since: 1_000, why: 'full' } as const;
  const seen = { ...disk, seen: 2_000, over: false };

  it('is each outage while it lasts, from its beginning on, and once that it is over', () => {
    const log = new OutageLog();
    expect(log.look([], 500)).toEqual([]);
    const first = log.look([disk], 2_000);
    expect(first).toEqual([seen]);
    log.told(first);
    // A breaker tells its beginning anew, an instant apart.
    expect(log.look([{ ...disk, since: 1_001 }], 3_000)).toEqual([{ ...seen, seen: 3_000 }]);
    const last = log.look([], 4_000);
    expect(last).toEqual([{ ...seen, seen: 4_000, over: true }]);
    log.told(last);
    expect(log.look([], 5_000)).toEqual([]);
  });

  it('is kept while it cannot be told, since Postgres is out itself', () => {
    const log = new OutageLog();
    log.look([disk], 2_000);
    log.look([], 4_000);
    expect(log.look([], 9_000)).toEqual([{ ...seen, seen: 4_000, over: true }]);
    // It begins again before the end of the first was told.
    expect(log.look([{ ...disk, since: 9_500 }], 10_000)).toEqual([{ ...seen, since: 9_500, seen: 10_000 }]);
  });
});
