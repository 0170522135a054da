/**
 * The pages of a crawl are searched in parts, its tiers: the first 2,048 that were looked at, the 6,144 after them, and
 * so on, each tier three times as large as all before it. A search goes from tier to tier until enough pages have the
 * words. So the work for a common word is bounded by what is wanted, not by the size of the crawl, and a rare word, for
 * which all tiers are looked through, takes some ten looks in a million pages. A page stays in its tier when it is indexed
 * anew.
 */

/** Pages of the first tier. */
export const firstTier = 2_048;
/** How many times as large all tiers become with each further one. */
const growth = 4;

/** The tier of a page. @param looked pages of its crawl that were looked at before it */
export function tierOf(looked: number): number {
  let tier = 0;
  for (let end = firstTier; looked >= end; end *= growth) tier += 1;
  return tier;
}

/** A crawl to be searched. */
export interface SearchedCrawl {
  readonly id: string;
  /** Pages that were looked at for its index. */
  readonly looked: number;
}

export interface Tier {
  readonly crawlId: string;
  readonly tier: number;
}

interface SizedTier extends Tier {
  /** Most pages in it. */
  readonly size: number;
}

/**
 * In which order to look: all tiers of these crawls, in groups that are looked at together. First tiers come first, and
 * those of crawls by the order in which these are given; each group may be some four times as large as the one before, so
 * that their number grows with the logarithm of the pages.
 */
export function looksOf(crawls: readonly SearchedCrawl[]): Tier[][] {
  const tiers = crawls.flatMap(tiersOf).sort((one, other) => one.tier - other.tier);
  const looks: Tier[][] = [];
  let left = 0;
  let room = firstTier;
  for (const { crawlId, tier, size } of tiers) {
    const last = looks.at(-1);
    if (last === undefined || size > left) {
      looks.push([{ crawlId, tier }]);
      left = Math.max(room, size) - size;
      room *= growth;
    } else {
      last.push({ crawlId, tier });
      left -= size;
    }
  }
  return looks;
}

function tiersOf({ id, looked }: SearchedCrawl): SizedTier[] {
  const tiers: SizedTier[] = [];
  const last = tierOf(looked);
  for (let tier = 0, start = 0, end = firstTier; tier <= last; tier++, start = end, end *= growth)
    tiers.push({ crawlId: id, tier, size: Math.min(end, looked + 1) - start });
  return tiers;
}
