import { describe, expect, it } from 'vitest';
import { readingTurns, type UnreadCrawl } from '../../domain/reading-turns.ts';

const hosts = (count: number, from = 1): number[] => Array.from({ length: count }, (_, at) => from + at);
const shares = (crawls: readonly UnreadCrawl[], bodies: number): Record<number, number> => {
  const sums: Record<number, number> = {};
  for (const turn of readingTurns(crawls, bodies))
    sums[turn.crawlId] = (sums[turn.crawlId] ?? 0) + turn.bodies;
  return sums;
};

describe('turns of reading', () => {
  it('go to tenants, within a tenant to its crawls, within a crawl to its hosts', () => {
    const crawls = [
      { crawlId: 1, tenantId: 1, hosts: hosts(100) },
      { crawlId: 2, tenantId: 1, hosts: hosts(1, 200) },
      { crawlId: 3, tenantId: 2, hosts: hosts(2, 300) },
    ];
    expect(shares(crawls, 200)).toEqual({ 1: 50, 2: 50, 3: 100 });
    const turns = readingTurns(crawls, 200);
    expect(turns.filter(({ crawlId }) => crawlId === 1)).toEqual(
      hosts(50).map((hostId) => ({ crawlId: 1, hostId, bodies: 1 })),
    );
    expect(turns.filter(({ crawlId }) => crawlId === 3)).toEqual([
      { crawlId: 3, hostId: 300, bodies: 50 },
      { crawlId: 3, hostId: 301, bodies: 50 },
    ]);
    // The first body of each crawl comes before the second of any.
    expect(turns.slice(0, 3).map(({ crawlId }) => crawlId)).toEqual([1, 3, 2]);
  });

  it('all go to a crawl that is alone, and none to a crawl without hosts', () => {
    expect(shares([{ crawlId: 1, tenantId: 1, hosts: hosts(3) }], 10)).toEqual({ 1: 10 });
    expect(shares([{ crawlId: 1, tenantId: 1, hosts: [] }, { crawlId: 2, tenantId: 2, hosts: hosts(1) }], 10)).toEqual({ 2: 10 }); // prettier-ignore
    expect(readingTurns([], 10)).toEqual([]);
  });

  it('are no more than asked for, though more crawls wait', () => {
    const crawls = hosts(50).map((crawlId) => ({ crawlId, tenantId: 1, hosts: hosts(5) }));
    expect(Object.keys(shares(crawls, 20))).toHaveLength(20);
  });
});
