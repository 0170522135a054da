/**
 * Permits for requests of foreign fetchers (F37). A loan takes a permit of each group of its host until the loan has run
 * out, whatever becomes of this process; a report gives the permit back. The address is the one that answered our own
 * request for robots.txt, without which a host is not lent.
 */
import { hostName } from '../../domain/opt-out.ts';
import { lendPermit, returnPermit, sharedPermits } from '../../domain/caps.ts';
import { atBooks } from '../../storage/caps/index.ts';
import { robotsAddress } from '../../storage/hosts/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import type { CapBook, CappedGroup } from './cap-book.ts';

/** None is free, so none was taken of any group. */
class NoPermit extends Error {
  override readonly name = 'NoPermit';
}

export class LoanPermits {
  readonly #pool: Pool;
  readonly book: CapBook;

  constructor(pool: Pool, book: CapBook) {
    this.#pool = pool;
    this.book = book;
  }

  /** False: a group of the host has no permit free now. */
  async take(hostId: number, origin: string, forMs: number): Promise<boolean> {
    const groups = await this.#groupsOf(hostId, origin);
    if (groups.length === 0) return true;
    try {
      await atBooks(
        this.#pool,
        groups.map(({ name, permits }) => ({
          name,
          restMs: permits.restMs,
          turn: (books, now) => {
            const lent = lendPermit(books, lentFor(hostId), sharedPermits(permits), now + forMs);
            if (lent === null) throw new NoPermit();
            return lent;
          },
        })),
      );
      return true;
    } catch (error) {
      if (error instanceof NoPermit) return false;
      throw error;
    }
  }

  /** The request of the loan is over: its permits rest, and are free. */
  async giveBack(hostId: number, origin: string): Promise<void> {
    const groups = await this.#groupsOf(hostId, origin);
    if (groups.length === 0) return;
    await atBooks(
      this.#pool,
      groups.map(({ name, permits: { restMs } }) => ({
        name,
        restMs,
        turn: (books, now) => returnPermit(books, lentFor(hostId), now + restMs),
      })),
    );
  }

  async #groupsOf(hostId: number, origin: string): Promise<CappedGroup[]> {
    await this.book.refresh();
    const ofDomain = this.book.ofDomain(hostName(origin));
    const [row] = this.book.capsAddresses ? await robotsAddress(this.#pool, hostId) : [];
    const address = row?.address ?? null;
    const ofAddress = address === null ? null : this.book.ofAddress(address);
    return [ofDomain, ofAddress].filter((group) => group !== null);
  }
}

const lentFor = (hostId: number): string => `host ${String(hostId)}`;
