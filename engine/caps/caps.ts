/**
 * The caps on one request: it takes a permit of each group that its host belongs to, of the registered domain first and
 * of the address after that. Since all requests take them in this order, no two wait for each other.
 *
 * The address is known for certain only when the connection stands. A permit is taken for the address to which the
 * request will most likely go; if the connection leads to another one, the request does not leave, and is made again by
 * a permit for that one.
 */
import type { Fetcher, FetchRequest } from '../../contracts/fetching.ts';
import type { CapBook } from './cap-book.ts';
import type { Later, Pass, Patience, PermitKeeper } from './permit-keeper.ts';

/** What a request has to leave by. */
export class Entry {
  readonly #book: CapBook;
  readonly #passes: readonly Pass[];
  readonly #byAddress: Pass | null;
  /** The address to which the connection led, if there is no permit for it. */
  elsewhere: string | null = null;

  constructor(book: CapBook, byDomain: Pass | null, byAddress: Pass | null) {
    this.#book = book;
    this.#passes = [byDomain, byAddress].filter((pass) => pass !== null);
    this.#byAddress = byAddress;
  }

  /** The last look. @param address to which the connection leads; null: not known */
  mayLeave(address: string | null): boolean {
    const group = address === null ? null : this.#book.ofAddress(address);
    if (group !== null && group.name !== this.#byAddress?.name) {
      this.elsewhere = address;
      return false;
    }
    return this.#passes.every((pass) => pass.mayLeave());
  }

  /** The caller must call this once. @param headAt head of the answer, or else its end; null: nothing was sent */
  over(headAt: number | null): void {
    for (const pass of this.#passes) pass.over(headAt);
  }
}

export const isLater = (entered: Entry | Later): entered is Later => !(entered instanceof Entry);

export class Caps {
  readonly #book: CapBook;
  readonly #keeper: PermitKeeper;
  readonly #fetcher: Pick<Fetcher, 'addressOf'>;

  constructor(book: CapBook, keeper: PermitKeeper, fetcher: Pick<Fetcher, 'addressOf'>) {
    this.#book = book;
    this.#keeper = keeper;
    this.#fetcher = fetcher;
  }

  /**
   * Null: the request was given up.
   * @param address to which the connection led before; null: not known
   */
  async enter(
    request: FetchRequest,
    hostId: string,
    patience: Patience,
    address: string | null = null,
  ): Promise<Entry | Later | null> {
    await this.#book.refresh();
    const ofDomain = this.#book.ofDomain(new URL(request.url).hostname);
    const byDomain = ofDomain && (await this.#keeper.enter(ofDomain, hostId, patience));
    if (ofDomain !== null && byDomain === null) return null;
    if (byDomain !== null && 'waitMs' in byDomain) return byDomain;
    try {
      const to = this.#book.capsAddresses ? (address ?? (await this.#fetcher.addressOf(request))) : null;
      const ofAddress = to === null ? null : this.#book.ofAddress(to);
      const byAddress = ofAddress && (await this.#keeper.enter(ofAddress, hostId, patience));
      if (ofAddress !== null && (byAddress === null || 'waitMs' in byAddress)) {
        byDomain?.over(null);
        return byAddress;
      }
      return new Entry(this.#book, byDomain, byAddress as Pass | null);
    } catch (error) {
      byDomain?.over(null);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#keeper.close();
  }
}
