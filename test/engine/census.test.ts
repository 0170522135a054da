import { describe, expect, it } from 'vitest';
import { longestVisitMs, stretchedSliceMs } from '../../domain/slice.ts';
import { Census } from '../../engine/visit/census.ts';

const minute = 60_000;

describe('the hosts that a process works', () => {
  it('are counted once each, however often they are visited', () => {
    const census = new Census(5 * minute, () => 0);
    expect(['a', 'b', 'a', 'c', 'b'].map((host) => census.visited(host))).toEqual([1, 2, 2, 3, 3]);
  });

  it('count for one length at least, and for two at most', () => {
    let now = 0;
    const census = new Census(5 * minute, () => now);
    census.visited('early');
    now = 4 * minute;
    census.visited('late');
    now = 6 * minute;
    expect(census.visited('new')).toBe(3);
    now = 9 * minute;
    expect(census.visited('late')).toBe(3);
    now = 11 * minute;
    // 'early' was last seen more than ten minutes ago.
    expect(census.visited('new')).toBe(2);
    now = 60 * minute;
    expect(census.visited('again')).toBe(1);
  });

  it('keep their visits long, also once all that began together are over', () => {
    let now = 0;
    const census = new Census(longestVisitMs, () => now);
    const hosts = Array.from({ length: 900 }, (_, at) => ({ id: String(at), next: at * 50 }));
    let late = 0;
    for (; now < 120 * minute; now += 1_000) {
      for (const host of hosts.filter(({ next }) => next <= now)) {
        host.next = now + stretchedSliceMs(10_000, census.visited(host.id), 2);
        if (now >= 60 * minute) late++;
      }
    }
    // In an hour a host has two visits of half an hour, and may begin a third.
    expect(late).toBeLessThanOrEqual(3 * hosts.length);
  });
});
