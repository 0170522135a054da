/**
 * One undici Client an origin, made on demand and dropped once nothing of it is left.
 *
 * Instead of undici's Agent, which never forgets an origin whose last request was aborted (8.12: the aborted request
 * still counts as pending while its connection goes): every host that timed out would stay in memory.
 */
import { Client, type Dispatcher } from 'undici';

/** Clients at which unused ones are looked for; later at twice what was then in use. */
const sweepAtLeast = 256;

export class OriginClients {
  readonly #options: Client.Options;
  readonly #clients = new Map<string, Client>();
  #sweepAt = sweepAtLeast;

  constructor(options: Client.Options) {
    this.#options = options;
  }

  /** Known origins, those in use and those not yet swept: fewer than twice the former, or `sweepAtLeast`. */
  get size(): number {
    return this.#clients.size;
  }

  dispatch(origin: string, path: string, headers: string[], handler: Dispatcher.DispatchHandler): void {
    let client = this.#clients.get(origin);
    if (client === undefined) {
      if (this.#clients.size >= this.#sweepAt) this.#sweep();
      client = new Client(origin, this.#options);
      this.#clients.set(origin, client);
    }
    client.dispatch({ path, method: 'GET', headers }, handler);
  }

  /** Lets requests end, then closes the connections. */
  async close(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.all(clients.map((client) => client.close()));
  }

  /** Each client is looked at about once for each that is made. */
  #sweep(): void {
    for (const [origin, client] of this.#clients) {
      const { connected, size } = client.stats;
      if (connected || size > 0) continue;
      this.#clients.delete(origin);
      void client.close();
    }
    this.#sweepAt = Math.max(sweepAtLeast, 2 * this.#clients.size);
  }
}
