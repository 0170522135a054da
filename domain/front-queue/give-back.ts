/**
 * Whose hosts are asked to give their places back, when all places are taken and others wait. All claims are ranked as
 * if no place were taken, so that between equals nothing changes and no place goes to and fro.
 */
import { sharesOfPlaces, tiers, type LoadMode, type Tier } from './tiers.ts';

/** A crawl that has places or wants some, with numbers of hosts by tier. */
export interface Claims {
  readonly crawlId: number;
  readonly tenantId: number;
  readonly weight: number;
  readonly works: [number, number, number];
  readonly waits: [number, number, number];
}

export interface AskBack {
  readonly crawlId: number;
  readonly tier: Tier;
  readonly hosts: number;
}

/**
 * A tier keeps what it has beyond its share of its crawl's places, up to this much of the share and this many places: a
 * place that is given back goes to the queue whose turn it is, which may be the same.
 */
const spare = 0.25;
const sparePlaces = 3;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** @param cap number of places */
export function placesToAskBack(claims: readonly Claims[], cap: number, mode: LoadMode): AskBack[] {
  const worked = sum(claims.map(({ works }) => sum(works)));
  if (worked < cap || claims.every(({ waits }) => sum(waits) === 0)) return [];
  const fair = fairPlaces(claims, cap);
  const somebodyGains = claims.some((claim, at) => (fair[at] ?? 0) > sum(claim.works));
  return claims.flatMap((claim, at) => {
    const places = fair[at] ?? 0;
    const more = somebodyGains ? places - sum(claim.works) : 0;
    return more < 0 ? fromTiers(claim, places, -more, mode) : betweenTiers(claim, more, mode);
  });
}

/** A crawl in the ranking. */
interface Share {
  readonly claim: Claims;
  readonly works: number;
  readonly wants: number;
  given: number;
}

/** The crawl's next place for its weight. */
const nextShare = ({ claim, given }: Share): number => (given + 1) / claim.weight;
/** A place that the crawl has already goes before one that it would get. */
const isNew = ({ given, works }: Share): number => (given < works ? 0 : 1);

/** How many places each crawl should have: each place goes to the tenant, and there to the crawl, that has fewest. */
function fairPlaces(claims: readonly Claims[], cap: number): number[] {
  const shares = claims.map((claim): Share => {
    const works = sum(claim.works);
    return { claim, works, wants: works + sum(claim.waits), given: 0 };
  });
  const tenants = [...Map.groupBy(shares, ({ claim }) => claim.tenantId).values()];
  const next = (own: readonly Share[]): Share | null =>
    own.reduce<Share | null>((best, each) => {
      if (each.given >= each.wants) return best;
      if (best === null) return each;
      const less = nextShare(each) - nextShare(best) || isNew(each) - isNew(best);
      return less < 0 ? each : best;
    }, null);
  const heads = tenants.map((own) => ({ own, given: 0, head: next(own) }));
  for (let place = 0; place < cap; place++) {
    let first: (typeof heads)[number] | null = null;
    for (const each of heads) {
      if (each.head === null) continue;
      const less = first?.head
        ? each.given - first.given ||
          isNew(each.head) - isNew(first.head) ||
          nextShare(each.head) - nextShare(first.head)
        : -1;
      if (less < 0) first = each;
    }
    if (!first?.head) break;
    first.head.given++;
    first.given++;
    first.head = next(first.own);
  }
  return shares.map(({ given }) => given);
}

/** How many of a crawl's places each of its tiers should have, by the shares of the tiers. */
function fairTiers({ works, waits }: Claims, places: number, mode: LoadMode): number[] {
  const shares = sharesOfPlaces(mode);
  const given = [0, 0, 0];
  for (let place = 0; place < places; place++) {
    const open = tiers.filter((tier) => (given[tier] ?? 0) < works[tier] + waits[tier]);
    const [first, ...others] = open;
    if (first === undefined) break;
    const due = (tier: Tier): number => ((given[tier] ?? 0) + 1) / shares[tier];
    const next = others.reduce((best, each) => (due(each) < due(best) ? each : best), first);
    given[next] = (given[next] ?? 0) + 1;
  }
  return given;
}

/** The crawl has `beyond` places too many: those of the tiers that have most beyond their share. */
function fromTiers(claim: Claims, places: number, beyond: number, mode: LoadMode): AskBack[] {
  const fair = fairTiers(claim, places, mode);
  let left = beyond;
  return tiers
    .map((tier) => ({ tier, over: claim.works[tier] - (fair[tier] ?? 0) }))
    .sort((a, b) => b.over - a.over)
    .flatMap(({ tier, over }) => {
      const hosts = Math.min(left, Math.max(0, over));
      left -= hosts;
      return hosts === 0 ? [] : [{ crawlId: claim.crawlId, tier, hosts }];
    });
}

/**
 * The crawl keeps its places and gets `more` from other crawls. Tiers with far more than their share give some to tiers
 * that wait below theirs, as many as those do not get from other crawls.
 */
function betweenTiers(claim: Claims, more: number, mode: LoadMode): AskBack[] {
  const fair = fairTiers(claim, sum(claim.works) + more, mode);
  const gains = sum(tiers.map((tier) => Math.max(0, (fair[tier] ?? 0) - claim.works[tier])));
  let left = gains - more;
  return tiers.flatMap((tier) => {
    const share = fair[tier] ?? 0;
    const over = claim.works[tier] - share;
    if (over <= Math.max(sparePlaces, spare * share)) return [];
    const hosts = Math.min(left, over);
    left -= hosts;
    return hosts === 0 ? [] : [{ crawlId: claim.crawlId, tier, hosts }];
  });
}
