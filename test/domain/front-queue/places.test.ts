/** F10, F03: places are fair between tenants, then crawls by weight; tiers decide within a crawl. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placesToAskBack, type Claims } from '../../../domain/front-queue/give-back.ts';
import { countPlaces, giveFromFront, newFront } from '../../../domain/front-queue/front-state.ts';
import type { WaitingHost, WantingCrawl } from '../../../domain/front-queue/places.ts';
import { sharesOfPlaces, tiers, type Tier } from '../../../domain/front-queue/tiers.ts';
import { runs } from '../../support/runs.ts';

const tier = fc.constantFrom<Tier>(0, 1, 2);
const count = fc.nat({ max: 30 });

/** Crawls of tenants, each with hosts of its own. */
const world = fc
  .array(
    fc.record({
      tenantId: fc.nat({ max: 3 }),
      weight: fc.constantFrom(0.5, 1, 3),
      holds: fc.nat({ max: 5 }),
      hosts: fc.array(fc.record({ tier, authority: fc.boolean(), since: fc.nat({ max: 50 }) }), {
        maxLength: 40,
      }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((crawls) => ({
    crawls: crawls.map(({ tenantId, weight, holds }, at): WantingCrawl => ({
      crawlId: at + 1,
      tenantId,
      weight,
      holds,
    })),
    waiting: crawls.flatMap(({ hosts }, at) =>
      hosts.map((host, n): WaitingHost => ({ ...host, crawlId: at + 1, hostId: 1_000 * (at + 1) + n })),
    ),
  }));
const heldByTenant = (crawls: readonly WantingCrawl[]): Map<number, number> => {
  const held = new Map<number, number>();
  for (const { tenantId, holds } of crawls) held.set(tenantId, (held.get(tenantId) ?? 0) + holds);
  return held;
};

describe('free places', () => {
  it('are all given while hosts wait, each host once, to a crawl that wants it', () => {
    fc.assert(
      fc.property(world, count, fc.integer(), ({ crawls, waiting }, free, seed) => {
        const { places } = giveFromFront(newFront(seed), {
          crawls,
          waiting,
          heldByTenant: heldByTenant(crawls),
          free,
          most: Infinity,
        });
        expect(places).toHaveLength(Math.min(free, waiting.length));
        expect(new Set(places.map(({ hostId }) => hostId)).size).toBe(places.length);
        for (const place of places)
          expect(waiting).toContainEqual(
            expect.objectContaining({
              hostId: place.hostId,
              crawlId: place.crawlId,
              tier: place.tier,
              authority: place.authority,
            }),
          );
      }),
    );
  });

  it('go to the tenant with fewest, and in it to the crawl with fewest for its weight, whatever their tiers', () => {
    fc.assert(
      fc.property(world, count, fc.integer(), ({ crawls, waiting }, free, seed) => {
        const held = heldByTenant(crawls);
        const { places } = giveFromFront(newFront(seed), {
          crawls,
          waiting,
          heldByTenant: held,
          free,
          most: Infinity,
        });
        const has = (crawl: WantingCrawl): number =>
          crawl.holds + places.filter(({ crawlId }) => crawlId === crawl.crawlId).length;
        const got = (crawl: WantingCrawl): number =>
          places.filter(({ crawlId }) => crawlId === crawl.crawlId).length;
        const waits = (crawl: WantingCrawl): boolean =>
          waiting.filter(({ crawlId }) => crawlId === crawl.crawlId).length > got(crawl);
        const ofTenant = (id: number): number =>
          (held.get(id) ?? 0) +
          crawls.filter(({ tenantId }) => tenantId === id).reduce((sum, each) => sum + got(each), 0);
        for (const poor of crawls.filter(waits))
          for (const rich of crawls.filter((each) => got(each) > 0)) {
            if (rich.tenantId !== poor.tenantId)
              expect(ofTenant(rich.tenantId)).toBeLessThanOrEqual(ofTenant(poor.tenantId) + 1);
            else if (rich !== poor)
              expect(has(rich) / rich.weight).toBeLessThanOrEqual((has(poor) + 1) / poor.weight + 1e-9);
          }
      }),
    );
  });

  it('go to the host of a queue that has waited longest, and to one crawl where several want the host', () => {
    const crawls = [1, 2].map((crawlId): WantingCrawl => ({
      crawlId,
      tenantId: crawlId,
      weight: 1,
      holds: 0,
    }));
    const waiting = [3, 1, 2].flatMap((hostId) =>
      crawls.map(({ crawlId }): WaitingHost => ({
        hostId,
        crawlId,
        tier: 1,
        authority: false,
        since: hostId,
      })),
    );
    const { places } = giveFromFront(newFront(1), {
      crawls,
      waiting,
      heldByTenant: new Map(),
      free: 5,
      most: Infinity,
    });
    expect(places.map(({ hostId, crawlId }) => [hostId, crawlId])).toEqual([
      [1, 1],
      [2, 2],
      [3, 1],
    ]);
  });

  it('keep the turns of a crawl from one look to the next, one place at a time', () => {
    let front = newFront(11);
    let given = countPlaces([]).byTier as readonly number[];
    const waiting = tiers.flatMap((each) =>
      [true, false].map((authority, n): WaitingHost => ({
        hostId: 2 * each + n,
        crawlId: 9,
        tier: each,
        authority,
        since: 0,
      })),
    );
    for (let at = 0; at < 1_000; at++) {
      const next = giveFromFront(front, {
        crawls: [{ crawlId: 9, tenantId: 1, weight: 1, holds: 7 }],
        waiting,
        heldByTenant: new Map([[1, 7]]),
        free: 1,
        most: Infinity,
      });
      ({ front } = next);
      given = tiers.map((each) => (given[each] ?? 0) + countPlaces(next.places).byTier[each]);
    }
    for (const each of tiers)
      expect(Math.abs((given[each] ?? 0) / 1_000 - sharesOfPlaces('normal')[each])).toBeLessThan(0.01);
  });

  it('go to no crawl beyond the most that it may have', () => {
    const { places } = giveFromFront(newFront(1), {
      crawls: [{ crawlId: 1, tenantId: 1, weight: 1, holds: 2 }],
      waiting: [1, 2, 3].map((hostId): WaitingHost => ({
        hostId,
        crawlId: 1,
        tier: 0,
        authority: false,
        since: 0,
      })),
      heldByTenant: new Map([[1, 2]]),
      free: 3,
      most: 4,
    });
    expect(places).toHaveLength(2);
  });
});

describe('places that are asked back', () => {
  const three = fc.tuple(count, count, count);
  const claims = fc
    .array(
      fc.record({ tenantId: fc.nat({ max: 2 }), weight: fc.constantFrom(1, 3), works: three, waits: three }),
      { minLength: 1, maxLength: 5 },
    )
    .map((crawls) => crawls.map((crawl, at): Claims => ({ ...crawl, crawlId: at + 1 })));
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
  const capOf = (all: readonly Claims[]): number => Math.max(1, sum(all.map(({ works }) => sum(works))));

  it('are of those who have them, never more than others wait for, and none where a place is free', () => {
    fc.assert(
      fc.property(claims, (all) => {
        const asks = placesToAskBack(all, capOf(all), 'normal');
        for (const { crawlId, tier: of, hosts } of asks) {
          expect(hosts).toBeGreaterThan(0);
          expect(hosts).toBeLessThanOrEqual(all.find((each) => each.crawlId === crawlId)?.works[of] ?? 0);
        }
        expect(sum(asks.map(({ hosts }) => hosts))).toBeLessThanOrEqual(
          sum(all.map(({ waits }) => sum(waits))),
        );
        expect(placesToAskBack(all, capOf(all) + 1, 'normal')).toEqual([]);
      }),
    );
  });

  it('are of no tier of a crawl whose other tiers get as many from another crawl', () => {
    const one: Claims = { crawlId: 1, tenantId: 1, weight: 1, works: [0, 0, 5], waits: [0, 0, 0] };
    const other: Claims = { crawlId: 2, tenantId: 1, weight: 3, works: [0, 0, 7], waits: [4, 0, 0] };
    expect(placesToAskBack([one, other], 12, 'normal')).toEqual([{ crawlId: 1, tier: 2, hosts: 2 }]);
    expect(placesToAskBack([other], 7, 'normal')).toEqual([{ crawlId: 2, tier: 2, hosts: 4 }]);
  });

  const oneTier = claims.map((crawls) =>
    crawls.map(({ works, waits, ...crawl }): Claims => ({
      ...crawl,
      works: [0, works[1], 0],
      waits: [0, waits[1], 0],
    })),
  );

  it('are none once those who waited have them', () => {
    fc.assert(
      fc.property(oneTier, (all) => {
        const cap = capOf(all);
        // A tie that falls the other way when the places are given costs a further turn.
        let now: readonly Claims[] = all;
        for (let turn = 0; turn < 3; turn++) now = afterAsking(now, placesToAskBack(now, cap, 'normal'), cap);
        expect(placesToAskBack(now, cap, 'normal')).toEqual([]);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('bring the tiers of a crawl to their shares, though some places go back to the same tier', () => {
    let now: readonly Claims[] = [
      { crawlId: 1, tenantId: 1, weight: 1, works: [0, 0, 200], waits: [300, 300, 300] },
    ];
    for (let turn = 0; turn < 8; turn++) now = afterAsking(now, placesToAskBack(now, 200, 'normal'), 200);
    for (const each of tiers)
      expect(Math.abs((now[0]?.works[each] ?? 0) / 200 - sharesOfPlaces('normal')[each])).toBeLessThan(0.08);
    expect(placesToAskBack(now, 200, 'normal')).toEqual([]);
  });

  it('are of the tier that has far more than its share of its crawl, for one that waits below its own', () => {
    const crawl = (works: Claims['works'], waits: Claims['waits']): Claims => ({
      crawlId: 1,
      tenantId: 1,
      weight: 1,
      works,
      waits,
    });
    expect(placesToAskBack([crawl([0, 0, 100], [200, 0, 0])], 100, 'normal')).toEqual([
      { crawlId: 1, tier: 2, hosts: expect.any(Number) as number },
    ]);
    expect(placesToAskBack([crawl([48, 24, 28], [50, 50, 50])], 100, 'normal')).toEqual([]);
    expect(placesToAskBack([crawl([45, 24, 31], [50, 50, 50])], 100, 'normal')).toEqual([]);
    expect(placesToAskBack([crawl([0, 0, 100], [0, 0, 200])], 100, 'normal')).toEqual([]);
  });
});

/** Gives each place that came back to the waiting crawl whose tenant, and then which itself, has fewest. */
function afterAsking(
  claims: readonly Claims[],
  asks: readonly { crawlId: number; tier: Tier; hosts: number }[],
  cap: number,
): Claims[] {
  const now = claims.map(({ works, waits, ...claim }): Claims => ({
    ...claim,
    works: [...works],
    waits: [...waits],
  }));
  for (const { crawlId, tier: of, hosts } of asks) {
    const claim = now.find((each) => each.crawlId === crawlId);
    if (claim === undefined) continue;
    claim.works[of] -= hosts;
    claim.waits[of] += hosts;
  }
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
  const places = cap - sum(now.map(({ works }) => sum(works)));
  const waiting = now.flatMap(({ crawlId, waits }) =>
    tiers.flatMap((of) =>
      Array.from({ length: waits[of] }, (_, n): WaitingHost => ({
        hostId: crawlId * 10_000 + of * 1_000 + n,
        crawlId,
        tier: of,
        authority: false,
        since: 0,
      })),
    ),
  );
  const crawls = now.map(({ crawlId, tenantId, weight, works }): WantingCrawl => ({
    crawlId,
    tenantId,
    weight,
    holds: sum(works),
  }));
  const given = giveFromFront(newFront(3), {
    crawls,
    waiting,
    heldByTenant: heldByTenant(crawls),
    free: places,
    most: Infinity,
  });
  for (const { crawlId, tier: of } of given.places) {
    const claim = now.find((each) => each.crawlId === crawlId);
    if (claim === undefined) continue;
    claim.works[of]++;
    claim.waits[of]--;
  }
  return now;
}
