/**
 * Who gets the free places of hosts at work. A free place goes to the tenant that has fewest places, within the tenant
 * to the crawl that has fewest for its weight, within the crawl to the front queue whose turn it is (selector.ts), and
 * there to the host that has waited longest. So a crawl that comes late gets the next places, however many hosts of
 * others wait, and a crawl that is alone gets all places.
 */
import type { SeededRandom } from './random.ts';
import { newSelector, nextPlace, type Choice, type Ready, type SelectorState } from './selector.ts';
import { tiers, type LoadMode, type Tier } from './tiers.ts';

/** A host that a crawl wants, and that is ready. Several crawls may want the same host. */
export interface WaitingHost {
  readonly hostId: number;
  readonly crawlId: number;
  readonly tier: Tier;
  readonly authority: boolean;
  /** Since when the host waits, in any unit. */
  readonly since: number;
}

/** A crawl with hosts that wait. */
export interface WantingCrawl {
  readonly crawlId: number;
  readonly tenantId: number;
  /** Above 0. */
  readonly weight: number;
  /** Places that the crawl has already. */
  readonly holds: number;
}

export interface PlaceGiven extends Choice {
  readonly hostId: number;
  readonly crawlId: number;
}

/** The selectors of crawls, by crawl. */
export type Selectors = ReadonlyMap<number, SelectorState>;

export interface Giving {
  readonly crawls: readonly WantingCrawl[];
  readonly waiting: readonly WaitingHost[];
  /** Places that each tenant has, also by crawls that want no more. */
  readonly heldByTenant: ReadonlyMap<number, number>;
  readonly free: number;
  /** Most places of a crawl. */
  readonly most: number;
  readonly mode: LoadMode;
  readonly selectors: Selectors;
  readonly random: SeededRandom;
}

export interface Given {
  readonly places: readonly PlaceGiven[];
  /** Of the crawls that got a place now; the others have the state that they had. */
  readonly selectors: Selectors;
}

export function givePlaces(giving: Giving): Given {
  const { mode, random } = giving;
  const taken = new Set<number>();
  const crawls = giving.crawls.map((crawl) => new Queues(crawl, giving.waiting, taken));
  const ofTenant = new Map(giving.heldByTenant);
  const places: PlaceGiven[] = [];
  const selectors = new Map<number, SelectorState>();

  while (places.length < giving.free) {
    const first = firstOf(crawls, giving.most, (tenant) => ofTenant.get(tenant) ?? 0);
    if (first === null) break;
    const { crawlId, tenantId } = first.crawl;
    const state = selectors.get(crawlId) ?? giving.selectors.get(crawlId) ?? newSelector(random);
    const next = nextPlace(state, first.ready(), mode, random);
    if (next === null) break;
    const hostId = first.take(next.choice);
    places.push({ hostId, crawlId, ...next.choice });
    selectors.set(crawlId, next.state);
    ofTenant.set(tenantId, (ofTenant.get(tenantId) ?? 0) + 1);
  }
  return { places, selectors };
}

/** The crawl that gets the next place; null: no crawl wants one, or may have one. */
function firstOf(crawls: readonly Queues[], most: number, held: (tenantId: number) => number): Queues | null {
  let first: Queues | null = null;
  let rank: readonly number[] = [];
  for (const each of crawls) {
    const since = each.waitsSince();
    if (since === null || each.holds >= most) continue;
    const { tenantId, weight, crawlId } = each.crawl;
    const own = [held(tenantId), (each.holds + 1) / weight, since, crawlId];
    if (first !== null && !isBefore(own, rank)) continue;
    first = each;
    rank = own;
  }
  return first;
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  for (const [at, number] of one.entries()) {
    const against = other[at] ?? 0;
    if (number !== against) return number < against;
  }
  return false;
}

/** The front queues of a crawl. A host that another crawl got is passed over. */
class Queues {
  readonly crawl: WantingCrawl;
  holds: number;
  readonly #taken: Set<number>;
  /** By tier, then class; each with those that have waited longest at its end. */
  readonly #queues: readonly { readonly authority: WaitingHost[]; readonly tail: WaitingHost[] }[];

  constructor(crawl: WantingCrawl, waiting: readonly WaitingHost[], taken: Set<number>) {
    this.crawl = crawl;
    this.holds = crawl.holds;
    this.#taken = taken;
    this.#queues = tiers.map(() => ({ authority: [], tail: [] }));
    const own = waiting.filter(({ crawlId }) => crawlId === crawl.crawlId);
    own.sort((a, b) => b.since - a.since || b.hostId - a.hostId);
    for (const host of own) this.#queueOf(host.tier, host.authority).push(host);
  }

  #queueOf(tier: Tier, authority: boolean): WaitingHost[] {
    const queues = this.#queues[tier];
    if (queues === undefined) throw new RangeError(`there is no tier ${String(tier)}`);
    return authority ? queues.authority : queues.tail;
  }

  /** The first host of a queue that nobody got; those that somebody got leave it. */
  #head(tier: Tier, authority: boolean): WaitingHost | undefined {
    const queue = this.#queueOf(tier, authority);
    for (let head = queue.at(-1); head !== undefined; head = queue.at(-1)) {
      if (!this.#taken.has(head.hostId)) return head;
      queue.pop();
    }
    return undefined;
  }

  ready(): Ready {
    const inTier = (tier: Tier) => ({
      authority: this.#head(tier, true) === undefined ? 0 : this.#queueOf(tier, true).length,
      tail: this.#head(tier, false) === undefined ? 0 : this.#queueOf(tier, false).length,
    });
    return [inTier(0), inTier(1), inTier(2)];
  }

  /** When its longest waiting host began to wait; null: none waits. */
  waitsSince(): number | null {
    const heads = tiers.flatMap((tier) => [this.#head(tier, true), this.#head(tier, false)]);
    const since = heads.flatMap((head) => (head === undefined ? [] : [head.since]));
    return since.length === 0 ? null : Math.min(...since);
  }

  take({ tier, authority }: Choice): number {
    const host = this.#head(tier, authority);
    if (host === undefined) throw new RangeError('no host waits in this queue');
    this.#taken.add(host.hostId);
    this.holds++;
    return host.hostId;
  }
}
