/**
 * A worker's copy of the opt-out list. A request leaves only under a copy that is at most `optOutBoundMs` old
 * (domain/opt-out.ts says why that is enough). So the copy is read again twice a second while requests are under way;
 * nobody waits for that while the old copy is fresh. If the list cannot be read, nothing is sent: that is a fault of
 * ours, and no URL is blamed.
 */
import { coveringDomain, hostName, isFreshCopy, type ReadingTime } from '../../domain/opt-out.ts';
import { Attended } from './attended.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { loadOptOuts } from '../../storage/opt-outs/index.ts';

/** The copy is read again from this age on, in milliseconds. */
const refreshMs = 500;

/** Postgres took too long for the list. */
class OptOutsUnread extends Error {
  override readonly name = 'OptOutsUnread';
  /** SQLSTATE of a failed connection, so that this error counts as an outage of Postgres. */
  readonly code = '08006';

  constructor() {
    super('the opt-out list could not be read in time, and no request is sent without it');
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
  readonly #attended = new Attended(refreshMs, () => this.#refresh());

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The domains on the list, no older than the bound. @throws an outage if the list cannot be read */
  async current(): Promise<ReadonlySet<string>> {
    if (!this.#isFresh || performance.now() - this.#copy.monotonicAt > refreshMs) {
      const refreshing = this.#refresh();
      if (!this.#isFresh) await refreshing;
      if (!this.#isFresh) throw new OptOutsUnread();
    }
    return this.#copy.domains;
  }

  /** The entry that covers the host of an origin or a canonical URL; null: none does. @throws as `current` */
  async covering(url: string): Promise<string | null> {
    return coveringDomain(hostName(url), await this.current());
  }

  /** The last look before a request leaves. False if the copy is too old or covers the host. */
  permits(url: string): boolean {
    return this.#isFresh && coveringDomain(hostName(url), this.#copy.domains) === null;
  }

  /** Runs `work` and keeps the copy fresh meanwhile, however slowly requests connect. @throws as `current` */
  async attend<T>(work: () => Promise<T>): Promise<T> {
    await this.current();
    return this.#attended.during(work);
  }

  get #isFresh(): boolean {
    return isFreshCopy(this.#copy, performance.now(), Date.now());
  }

  /** One refresh at a time. The empty `catch` is for callers that do not wait for it; others still see its failure. */
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
