/**
 * Caps on hosts together: on those at one address, and on those of one registered domain. All of a cap is permits. A
 * request takes one permit of each group of its host from before it connects until its answer has ended, and after that
 * the permit rests. So the number of permits bounds the requests in flight, and permits and rest together the requests
 * of a second. A permit is held by one process at a time: what one process has, no other can use.
 */

export interface Cap {
  /** Requests per second: a whole number, or a fraction below 1 (0.1: one in ten seconds). */
  readonly rate: number;
  /** Requests in flight; null: as many as the rate. More than the rate has no effect. */
  readonly inFlight: number | null;
}

export const maxCapRate = 1_000;
const minCapRate = 0.001;

export const isCapRate = (rate: number): boolean =>
  rate >= minCapRate && rate <= maxCapRate && (rate < 1 || Number.isInteger(rate));
export const capRateWords = `a whole number from 1 to ${String(maxCapRate)}, or a fraction of 1 from ${String(minCapRate)} (0.1: one request in ten seconds)`;

export interface Permits {
  readonly count: number;
  /**
   * Milliseconds that a permit rests, counted from the head of its answer: by then the request had reached the host. So
   * two requests of one permit arrive at least this far apart, however the network delays either.
   */
  readonly restMs: number;
}

export function permitsOf({ rate, inFlight }: Cap): Permits {
  if (rate < 1) return { count: 1, restMs: 1_000 / rate };
  const perSecond = Math.floor(rate);
  const count = Math.min(perSecond, inFlight ?? perSecond);
  return { count, restMs: 1_000 / Math.floor(perSecond / count) };
}

/**
 * Processes that may send through a permit of their own in each large group, without saying so: a host that is alone at
 * its address, at the usual pace, then costs no statement. These permits are kept out of what is shared.
 */
export const freeSeats = 4;
/** Groups with fewer permits have none to spare. */
const fewestPermits = 2 * freeSeats;

export const hasFreePermit = ({ count }: Permits): boolean => count >= fewestPermits;

/** Permits of a group that processes share by its books. */
export const sharedPermits = (permits: Permits): number =>
  hasFreePermit(permits) ? permits.count - freeSeats : permits.count;

/** What one process has of a group. */
export interface Share {
  readonly holder: string;
  readonly permits: number;
  /** Permits that the process could use now. */
  readonly wanted: number;
  /** When the process last got a permit, in milliseconds of the database's clock; 0: never. */
  readonly servedAt: number;
}

/** A permit that nobody may take before a time: it was lent, or its process died and its last request may be under way. */
export interface Spent {
  /** What it was lent for; null: its process died. */
  readonly lentFor: string | null;
  readonly permits: number;
  /** Milliseconds of the database's clock. */
  readonly until: number;
}

/** Who has which permits of a group. */
export interface GroupBooks {
  /** How long a permit rests, by the cap that was in force at the last turn. */
  readonly restMs: number;
  readonly shares: readonly Share[];
  readonly spent: readonly Spent[];
}

export const emptyBooks: GroupBooks = { restMs: 0, shares: [], spent: [] };
export const isEmpty = ({ shares, spent }: GroupBooks): boolean => shares.length + spent.length === 0;

const sum = (list: readonly { readonly permits: number }[]): number =>
  list.reduce((all, { permits }) => all + permits, 0);

/**
 * The books as of now: permits of processes that are not alive any more rest once, since the last requests of those
 * processes may have been under way until now.
 */
export function currentBooks(
  { shares, spent, restMs: before }: GroupBooks,
  alive: ReadonlySet<string>,
  now: number,
  restMs = before,
): GroupBooks {
  const gone = shares.filter(({ holder, permits }) => !alive.has(holder) && permits > 0);
  return {
    restMs,
    shares: shares.filter(({ holder }) => alive.has(holder)),
    spent: [
      ...spent.filter(({ until }) => until > now),
      ...gone.map(({ permits }) => ({ lentFor: null, permits, until: now + restMs })),
    ],
  };
}

/**
 * What each process should have: nobody more than it wants, and where that is too much, permits in proportion to what
 * is wanted, with at least one for everybody. If there are fewer permits than processes, those who were served longest
 * ago come first, so that permits go round. The result is in the order of `shares`.
 */
export function fairShares(
  shares: readonly Pick<Share, 'holder' | 'wanted' | 'servedAt'>[],
  permits: number,
): number[] {
  const given = shares.map(() => 0);
  for (let left = permits; left > 0; left--) {
    let next = -1;
    for (const [at, one] of shares.entries()) {
      const has = given[at] ?? 0;
      if (has >= one.wanted) continue;
      const best = shares[next];
      if (best === undefined) next = at;
      else {
        const before = has / one.wanted - (given[next] ?? 0) / best.wanted;
        const order = before || one.servedAt - best.servedAt || (one.holder < best.holder ? -1 : 1);
        if (order < 0) next = at;
      }
    }
    if (next < 0) break;
    given[next] = (given[next] ?? 0) + 1;
  }
  return given;
}

/** Permits that a process would have beside these others if it wanted all. */
export const reachBeside = (others: readonly Share[], permits: number): number =>
  fairShares([{ holder: '', wanted: permits, servedAt: 0 }, ...others], permits)[0] ?? 0;

export interface Call {
  readonly holder: string;
  /** Permits that the process keeps of those it had; it gives back the others, and has sent nothing by them of late. */
  readonly keeps: number;
  readonly wanted: number;
}

export interface Settled {
  readonly books: GroupBooks;
  readonly permits: number;
  /** Permits that the process should have: what it has above that, it should give back as soon as they have rested. */
  readonly fair: number;
  /** Permits that the process would have if it wanted all. */
  readonly reach: number;
}

/** One process's turn at the books of a group. @param books those of now @param permits that are shared by them */
export function settleShare(books: GroupBooks, call: Call, permits: number, now: number): Settled {
  const others = books.shares.filter(({ holder }) => holder !== call.holder);
  const before = books.shares.find(({ holder }) => holder === call.holder);
  const keeps = Math.min(call.keeps, before?.permits ?? 0);
  const mine = { holder: call.holder, wanted: call.wanted, servedAt: before?.servedAt ?? 0 };
  const spent = sum(books.spent);
  const unspent = Math.max(0, permits - spent);
  const [fair = 0] = fairShares([mine, ...others], unspent);
  const reach = reachBeside(others, unspent);
  const free = Math.max(0, permits - spent - sum(others) - keeps);
  const has = Math.max(keeps, Math.min(fair, keeps + free));
  if (has === 0 && call.wanted === 0) return { books: { ...books, shares: others }, permits: 0, fair, reach };
  const share: Share = { ...mine, permits: has, servedAt: has > keeps ? now : mine.servedAt };
  return { books: { ...books, shares: [...others, share] }, permits: has, fair, reach };
}

/** Takes a permit until a time, for somebody who is no process of ours; null: none is free. */
export function lendPermit(
  books: GroupBooks,
  lentFor: string,
  permits: number,
  until: number,
): GroupBooks | null {
  if (sum(books.shares) + sum(books.spent) >= permits) return null;
  return { ...books, spent: [...books.spent, { lentFor, permits: 1, until }] };
}

/** A permit that was lent is free again at this time. */
export const returnPermit = (books: GroupBooks, lentFor: string, until: number): GroupBooks => ({
  ...books,
  spent: books.spent.map((one) => (one.lentFor === lentFor ? { ...one, until } : one)),
});
