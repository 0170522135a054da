/** What all requests of foreign fetchers share in a process (F37). */
import type { Logger } from 'pino';
import type { Pool } from '../../storage/pool.ts';
import { MemorySeenCache } from '../../storage/seen/memory-seen-cache.ts';
import { claimIdleHosts } from '../../storage/statements/claim-idle-hosts.ts';
import { Admission } from '../admission/admission.ts';
import { openBooks } from '../books/books.ts';
import type { CrawlBook } from '../books/crawl-book.ts';
import type { RobotsBook } from '../books/robots-book.ts';
import type { OptOutBook } from '../books/opt-out-book.ts';

interface LendingParts {
  readonly pool: Pool;
  readonly log: Logger;
  /** Has the workflow of a host look again, if there is one. */
  readonly wakeHost: (origin: string) => Promise<void>;
  /** Sent where a crawl names none. */
  readonly userAgent: string;
  readonly shards: number;
}

/** Keys remembered as seen: 2.4 MB. */
const seenKeys = 100_000;

export class LendingRoom {
  readonly pool: Pool;
  readonly crawls: CrawlBook;
  readonly robots: RobotsBook;
  readonly optOuts: OptOutBook;
  readonly admission: Admission;
  readonly #log: Logger;
  readonly #wakeHost: (origin: string) => Promise<void>;

  constructor({ pool, log, wakeHost, userAgent, shards }: LendingParts) {
    this.pool = pool;
    // Nothing is sent from here: who may reach which address is the fetcher's own to guard.
    const books = openBooks(pool, { userAgent, allowPrivate: [], shards });
    this.crawls = books.crawls;
    this.robots = books.robots;
    this.optOuts = books.optOuts;
    this.#log = log;
    this.#wakeHost = wakeHost;
    const wakeHosts = (ids: Iterable<number>): void => void this.wake([...ids]);
    const seen = new MemorySeenCache(seenKeys);
    this.admission = new Admission({ seen, wakeHosts }, books);
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
