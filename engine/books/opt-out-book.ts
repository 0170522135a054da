/**
 * A worker's copy of the opt-out list. A request leaves only under a copy that is at most `optOutBoundMs` old
 * (domain/opt-out.ts says why that is enough), so while requests are under way the copy is read again twice a second;
 * nobody waits for that while the old one is still good. Where the list cannot be read nothing is sent: that is our
 * own fault, and nobody's URL.
 */
import { coveringDomain, hostName, isFreshCopy, type ReadingTime } from '../../domain/opt-out.ts';
import type { Pool } from '../../storage/pool.ts';
import { loadOptOuts } from '../../storage/statements/load-opt-outs.ts';

/** From this age on a copy is read again. */
const refreshMs = 500;

/** Postgres took too long for the list. */
class OptOutsUnread extends Error {
  override readonly name = 'OptOutsUnread';
  /** As if the connection had failed (SQLSTATE), so that it is treated as the outage it is. */
  readonly code = '08006';

  constructor() {
    super('the opt-out list could not be read in time, and nothing is sent without it');
  }
}

interface Copy extends ReadingTime {
  readonly revision: number;
  readonly domains: ReadonlySet<string>;
}

export class OptOutBook {
  readonly #pool: Pool;
  #copy: Copy = { revision: 0, domains: new Set(), monotonicAt: -Infinity, wallAt: -Infinity };
  #refreshing: Promise<void> | undefined;
  #attended = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The domains on the list, no older than the bound. @throws an outage where it cannot be read */
  async current(): Promise<ReadonlySet<string>> {
    if (!this.#isFresh || performance.now() - this.#copy.monotonicAt > refreshMs) {
      const refreshing = this.#refresh();
      if (!this.#isFresh) await refreshing;
      if (!this.#isFresh) throw new OptOutsUnread();
    }
    return this.#copy.domains;
  }

  /** The entry that covers the host of an origin or canonical URL; null: none does. @throws as `current` */
  async covering(url: string): Promise<string | null> {
    return coveringDomain(hostName(url), await this.current());
  }

  /** The last look before a request leaves: false where the copy is too old or covers the host. */
  permits(url: string): boolean {
    return this.#isFresh && coveringDomain(hostName(url), this.#copy.domains) === null;
  }

  /** Runs `work` while the copy is kept fresh, so that connecting, however slow, finds one. @throws as `current` */
  async attend<T>(work: () => Promise<T>): Promise<T> {
    await this.current();
    this.#attended++;
    this.#timer ??= setInterval(() => void this.#refresh().catch(() => undefined), refreshMs);
    try {
      return await work();
    } finally {
      if (--this.#attended === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  get #isFresh(): boolean {
    return isFreshCopy(this.#copy, performance.now(), Date.now());
  }

  /** One at a time; whoever does not wait for it must not be hit by its failure. */
  #refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => (this.#refreshing = undefined));
    this.#refreshing.catch(() => undefined);
    return this.#refreshing;
  }

  async #read(): Promise<void> {
    const read = { monotonicAt: performance.now(), wallAt: Date.now() };
    const { revision, domains } = this.#copy;
    const [row] = await loadOptOuts(this.#pool, revision);
    if (row === undefined)
      throw new Error('the opt-out list has no revision: table opt_out_revision is empty');
    this.#copy = {
      ...read,
      revision: row.revision,
      domains: row.domains === null ? domains : new Set(row.domains),
    };
  }
}
