/** What all requests of foreign fetchers to one process share (F37). */
import type { Logger } from 'pino';
import type { Pool } from '../../storage/postgres/index.ts';
import { MemorySeenCache } from '../../storage/seen/index.ts';
import { Admission } from '../admission/admission.ts';
import { openBooks, type Books } from '../books/books.ts';
import { CapBook, type CapDefaults } from '../caps/cap-book.ts';
import { LoanPermits } from '../caps/loan-permits.ts';
import { gates, type Gate } from '../visit/gates.ts';
import { HostWaker, type WakeHost } from '../host-waker.ts';
import type { Services } from '../visit/host-visit.ts';
import type { Fetcher } from '../../contracts/fetching.ts';

interface LendingParts {
  readonly pool: Pool;
  readonly log: Logger;
  /** Makes the workflow of a host look again, if there is one. */
  readonly wakeHost: WakeHost;
  /** User-Agent of crawls that set none. */
  readonly userAgent: string;
  readonly shards: number;
  /** Caps on addresses and domains for which operators have set none. */
  readonly caps: CapDefaults;
  /** Every gate that may keep a host from being lent; absent: those of visit/gates.ts. */
  readonly gates?: readonly Gate[];
}

/** Keys remembered as seen: 2.4 MB. */
const seenKeys = 100_000;

/** What is lent takes its permits when it is lent. */
const nobodyEnters: Services['caps'] = { enter: () => Promise.resolve(null) };

/** What is lent goes as its fetcher sends it, with no session of the crawl. */
const noProxy: Services['sessions'] = { proxyOf: () => Promise.resolve(null) };

/** The fetcher that borrows a URL requests it: no request leaves from this process. */
const nobodySends: Fetcher = {
  fetch: () => Promise.reject(new Error('no request is sent from the process that lends URLs')),
  addressOf: () => Promise.resolve(null),
  close: () => Promise.resolve(),
};

export class LendingContext implements Services {
  readonly pool: Pool;
  readonly books: Books;
  readonly gates: readonly Gate[];
  readonly fetcher = nobodySends;
  readonly caps = nobodyEnters;
  readonly pressure = { fetching: 1 };
  readonly sessions = noProxy;
  readonly permits: LoanPermits;
  /** The API has no breakers: if Postgres is down, the API request fails. */
  readonly outage = (): null => null;
  readonly admission: Admission;
  readonly #waker: HostWaker;

  constructor({ pool, log, wakeHost, userAgent, shards, caps, gates: gatesToPass = gates }: LendingParts) {
    this.pool = pool;
    // No request leaves from here: the foreign fetcher must guard addresses itself.
    this.books = openBooks(pool, { userAgent, allowPrivate: [], shards });
    this.gates = gatesToPass;
    this.permits = new LoanPermits(pool, new CapBook(pool, caps));
    this.#waker = new HostWaker(pool, wakeHost, log);
    const seen = new MemorySeenCache(seenKeys);
    this.admission = new Admission({ seen, wakeHosts: this.#waker.wake }, this.books);
  }

  /** Wakes those workflows of the hosts that are idle. Never rejects. */
  async wake(hostIds: readonly number[]): Promise<void> {
    this.#waker.wake(hostIds);
    await this.#waker.flush();
  }
}
