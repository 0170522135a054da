import { describe, expect, it } from 'vitest';
import { readRankLine } from '../../../domain/priority/rank-line.ts';
import { domainsAbove, trustOf, trustOfPlace } from '../../../domain/priority/trust.ts';

describe('trust in a host', () => {
  it('is whole for a listed domain and all below it, else by the place in the ranking', () => {
    const listed = new Set(['example.com']);
    expect(trustOf('www.example.com', listed, null)).toBe(1);
    expect(trustOf('badexample.com', listed, null)).toBe(0);
    expect(trustOf('other.example', listed, 1_000)).toBeCloseTo(4 / 7);
    expect([1, 10_000_000, 400_000_000].map(trustOfPlace)).toEqual([1, 0, 0]);
  });

  it('looks up the nearest ranked domain above a host', () => {
    expect(domainsAbove('a.b.example.com')).toEqual(['a.b.example.com', 'b.example.com', 'example.com']);
    expect(domainsAbove('localhost')).toEqual(['localhost']);
  });
});

describe('a line of a ranking', () => {
  it.each([
    ['1,google.com', { domain: 'google.com', place: 1 }],
    ['17, Bücher.example\r', { domain: 'xn--bcher-kva.example', place: 17 }],
    ['"3","example.org"', { domain: 'example.org', place: 3 }],
    // Common Crawl: ranks of domains, and of hosts.
    ['2\t2.9114E7\t3\t0.009\tcom.facebook\t3632', { domain: 'facebook.com', place: 2 }],
    ['5\t2.2E7\t4\t0.007\tcom.facebook.www', { domain: 'www.facebook.com', place: 5 }],
    ['#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\t#n_hosts', 'skip'],
    ['rank,domain', 'skip'],
    ['', 'skip'],
    ['0,example.com', null],
    ['1.5,example.com', null],
    ['1,https://example.com/', null],
    ['example.com', null],
    ['7,', null],
  ])('%j', (line, read) => {
    expect(readRankLine(line)).toEqual(read);
  });
});
