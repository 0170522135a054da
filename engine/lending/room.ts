/** What all requests of foreign fetchers share in a process (F37). */
import type { Logger } from 'pino';
import type { Pool } from '../../storage/pool.ts';
import { MemorySeenCache } from '../../storage/seen/memory-seen-cache.ts';
import { claimIdleHosts } from '../../storage/statements/claim-idle-hosts.ts';
import { Admission } from '../admission/admission.ts';
import { openBooks, type Books } from '../books/books.ts';
import { gates, type Gate } from '../visit/gates.ts';
import type { House } from '../visit/host-visit.ts';
import type { Fetcher } from '../../contracts/fetching.ts';

interface LendingParts {
  readonly pool: Pool;
  readonly log: Logger;
  /** Has the workflow of a host look again, if there is one. */
  readonly wakeHost: (origin: string) => Promise<void>;
  /** Sent where a crawl names none. */
  readonly userAgent: string;
  readonly shards: number;
  /** All that may keep a host from being lent; absent: those of visit/gates.ts. */
  readonly gates?: readonly Gate[];
}

/** Keys remembered as seen: 2.4 MB. */
const seenKeys = 100_000;

/** Who borrows a URL asks for it: no request leaves from here. */
const nobodySends: Fetcher = {
  fetch: () => Promise.reject(new Error('nothing is sent where URLs are lent')),
  close: () => Promise.resolve(),
};

export class LendingRoom implements House {
  readonly pool: Pool;
  readonly books: Books;
  readonly gates: readonly Gate[];
  readonly fetcher = nobodySends;
  /** The API has no breakers: what it cannot ask fails its request. */
  readonly outage = (): null => null;
  readonly admission: Admission;
  readonly #log: Logger;
  readonly #wakeHost: (origin: string) => Promise<void>;

  constructor({ pool, log, wakeHost, userAgent, shards, gates: gatesToPass = gates }: LendingParts) {
    this.pool = pool;
    // Nothing is sent from here: who may reach which address is the fetcher's own to guard.
    this.books = openBooks(pool, { userAgent, allowPrivate: [], shards });
    this.gates = gatesToPass;
    this.#log = log;
    this.#wakeHost = wakeHost;
    const wakeHosts = (ids: Iterable<number>): void => void this.wake([...ids]);
    const seen = new MemorySeenCache(seenKeys);
    this.admission = new Admission({ seen, wakeHosts }, this.books);
  }

  /** Tells those of the hosts' workflows that wait to be told. Never rejects: the scheduler finds what is lost here. */
  async wake(hostIds: readonly number[]): Promise<void> {
    if (hostIds.length === 0) return;
    try {
      const idle = await claimIdleHosts(this.pool, hostIds);
      await Promise.all(idle.map(({ origin }) => this.#wakeHost(origin)));
    } catch (error) {
      this.#log.warn({ err: error, hosts: hostIds.length }, 'idle hosts were not woken; the scheduler will');
    }
  }
}
