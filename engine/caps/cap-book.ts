/**
 * Which caps hold for a host: a process's copy of what operators have set, over the caps of the process settings. The
 * copy is read again once a second while requests are made, so a change holds within about that time.
 */
import { isIP } from 'node:net';
import { permitsOf, type Cap, type Permits } from '../../domain/caps.ts';
import { groupOfAddress } from '../../net/address-group.ts';
import { loadCaps } from '../../storage/caps/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { registrableDomain } from '../../storage/seeds/index.ts';

export interface CapDefaults {
  /** For each address; null: none. */
  readonly address: Cap | null;
  /** For each registered domain; null: none. */
  readonly domain: Cap | null;
  /** The default for addresses holds for private ones as well. */
  readonly ofPrivate: boolean;
}

export const noCaps: CapDefaults = { address: null, domain: null, ofPrivate: false };

/** A group of hosts that has a cap. */
export interface CappedGroup {
  readonly name: string;
  readonly cap: Cap;
  readonly permits: Permits;
}

const refreshMs = 1_000;

export class CapBook {
  readonly #pool: Pool;
  readonly #defaults: CapDefaults;
  /** Null: no cap. */
  #set: ReadonlyMap<string, Cap | null> = new Map();
  #stamp = '';
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(pool: Pool, defaults: CapDefaults) {
    this.#pool = pool;
    this.#defaults = defaults;
  }

  /** @throws an outage if nothing was ever read; later a copy that cannot be read again stays in force */
  async refresh(): Promise<void> {
    if (performance.now() - this.#readAt < refreshMs) return;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    if (this.#stamp === '') await this.#reading;
    else this.#reading.catch(() => undefined);
  }

  /** False: no address has a cap. */
  get capsAddresses(): boolean {
    return this.#defaults.address !== null || this.#set.size > 0;
  }

  /** Null: the address has no cap. */
  ofAddress(address: string): CappedGroup | null {
    const group = groupOfAddress(address);
    if (group === null) return null;
    const usual = group.isPrivate && !this.#defaults.ofPrivate ? null : this.#defaults.address;
    return this.#group(group.name, usual);
  }

  /** That of the registered domain of a host name; null: there is none, or it has no cap. */
  ofDomain(hostname: string): CappedGroup | null {
    if (this.#defaults.domain === null && this.#set.size === 0) return null;
    const domain = registrableDomain(hostname);
    return domain === null ? null : this.#group(domain, this.#defaults.domain);
  }

  /** A group by its own name; null: it has no cap. */
  named(name: string): CappedGroup | null {
    const [address = ''] = name.split('/');
    return isIP(address) === 0 ? this.ofDomain(name) : this.ofAddress(address);
  }

  #group(name: string, usual: Cap | null): CappedGroup | null {
    const own = this.#set.get(name);
    const cap = own === undefined ? usual : own;
    return cap && { name, cap, permits: permitsOf(cap) };
  }

  async #read(): Promise<void> {
    const readAt = performance.now();
    const [row] = await loadCaps(this.#pool, this.#stamp);
    if (row !== undefined) {
      this.#set = new Map(
        row.caps.map(({ name, rate, inFlight }) => [name, rate === null ? null : { rate, inFlight }]),
      );
      this.#stamp = row.stamp;
    }
    this.#readAt = readAt;
  }
}
