/**
 * One undici Client an origin, made on demand, and dropped once no exchange or connection of it is left.
 *
 * undici's Agent would not do: it never forgets an origin whose last request was aborted (8.12: the aborted request
 * still counts as pending while its connection goes), so that every host that timed out would stay in memory.
 *
 * What a connection is worth after an exchange:
 * - `whole`: the connection is kept for the next exchange.
 * - `broken`: the connection is closed, with its client. In HTTP/1.1 undici does that by itself. An HTTP/2 session would
 *   stay, though it may be dead, or may never open a stream again and so keep requests waiting for ever.
 * - `unheard`: the server closed a kept connection as the request came. At a steady pace this is no accident: a server
 *   whose idle time equals our delay does so every time. The next requests to the origin get a connection each.
 */
import { LRUCache } from 'lru-cache';
import { Client, type Dispatcher } from 'undici';

export type ExchangeEnd = 'whole' | 'broken' | 'unheard';

interface Entry {
  readonly client: Client;
  /** Exchanges under way. */
  open: number;
  /** The client is dropped when its last exchange is over; new exchanges get a new client. */
  discarded: boolean;
}

/** Number of clients at which unused ones are swept for the first time; then at twice the number that was in use. */
const sweepAtLeast = 256;
/** Requests that get a connection of their own after one that went unheard. */
const unsharedRequests = 50;
const maxUnshared = 10_000;

export class OriginClients {
  readonly #options: Client.Options;
  readonly #entries = new Map<string, Entry>();
  /** Origins that do not keep connections, and the number of further requests for which we rely on that. */
  readonly #unshared = new LRUCache<string, number>({ max: maxUnshared });
  #sweepAt = sweepAtLeast;

  constructor(options: Client.Options) {
    this.#options = options;
  }

  /** Known origins, those in use and those not yet swept: fewer than twice the former, or `sweepAtLeast`. */
  get size(): number {
    return this.#entries.size;
  }

  /** The caller must call the returned function once, when the exchange is over. */
  dispatch(
    origin: string,
    path: string,
    headers: string[],
    handler: Dispatcher.DispatchHandler,
  ): (end: ExchangeEnd) => void {
    let entry = this.#entries.get(origin);
    if (entry === undefined) {
      if (this.#entries.size >= this.#sweepAt) this.#sweep();
      entry = { client: new Client(origin, this.#options), open: 0, discarded: false };
      this.#entries.set(origin, entry);
    }
    const used = entry;
    used.open++;
    used.client.dispatch({ path, method: 'GET', headers }, handler);
    return (end) => {
      this.#after(origin, used, end);
    };
  }

  /** Lets requests end, then closes the connections. */
  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map(({ client }) => client.close()));
  }

  #after(origin: string, entry: Entry, end: ExchangeEnd): void {
    entry.open--;
    if (end === 'unheard') this.#unshared.set(origin, unsharedRequests);
    const unshared = this.#unshared.get(origin) ?? 0;
    if (end === 'whole' && unshared === 1) this.#unshared.delete(origin);
    else if (end === 'whole' && unshared > 1) this.#unshared.set(origin, unshared - 1);
    if (end !== 'whole' || unshared > 0) {
      entry.discarded = true;
      if (this.#entries.get(origin) === entry) this.#entries.delete(origin);
    }
    if (entry.discarded && entry.open === 0) void entry.client.destroy();
  }

  /** Each client is looked at about once for each that is made. */
  #sweep(): void {
    for (const [origin, { client }] of this.#entries) {
      const { connected, size } = client.stats;
      if (connected || size > 0) continue;
      this.#entries.delete(origin);
      void client.close();
    }
    this.#sweepAt = Math.max(sweepAtLeast, 2 * this.#entries.size);
  }
}
