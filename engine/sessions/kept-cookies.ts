/**
 * Cookies that a crawl keeps as the answers of a host set them, if it was asked to: a jar for each crawl and host, as small
 * as those of chains of redirects, and sealed as sessions are. Whoever has the lease of the host has its jars, so nobody
 * else writes them meanwhile; a change is stored before the result of the URL whose answer made it.
 */
import { type Cookie, cookiesAfter } from '../../domain/cookies.ts';
import { retrying, type Pool } from '../../storage/postgres/index.ts';
import { registrableDomain } from '../../storage/seeds/index.ts';
import { KeyMissing, keepCookies, keptCookies, type SecretKeys } from '../../storage/sessions/index.ts';
import { lastUsed } from '../last-used.ts';

/** Jars that are remembered, some kilobytes each at most. */
const most = 2_000;

/** Where a jar is: of this crawl at this host, under this lease. */
export interface JarPlace {
  readonly crawlId: number;
  readonly origin: string;
  readonly token: number;
}

export class KeptCookies {
  readonly #pool: Pool;
  readonly #keys: SecretKeys;
  readonly #jars = lastUsed<string, readonly Cookie[]>(most);

  constructor(pool: Pool, keys: SecretKeys) {
    this.#pool = pool;
    this.#keys = keys;
  }

  async at(place: JarPlace): Promise<readonly Cookie[]> {
    const known = this.#jars.get(nameOf(place));
    if (known !== undefined) return known;
    const cookies = await retrying(() => this.#stored(place));
    this.#jars.set(nameOf(place), cookies);
    return cookies;
  }

  /** Takes the cookies that an answer sets. @param setCookie as `cookiesAfter` has it */
  async take(place: JarPlace, url: URL, setCookie: string | undefined): Promise<void> {
    if (setCookie === undefined) return;
    const before = await this.at(place);
    const isShared = (domain: string): boolean => registrableDomain(domain) !== null;
    const after = cookiesAfter(before, setCookie, url, isShared, Date.now());
    if (JSON.stringify(after) === JSON.stringify(before)) return;
    this.#jars.set(nameOf(place), after);
    const { crawlId, origin } = place;
    await retrying(() => keepCookies(this.#pool, this.#keys, crawlId, origin, after));
  }

  /** A jar that cannot be opened here is empty: the site sets its cookies anew. */
  async #stored({ crawlId, origin }: JarPlace): Promise<readonly Cookie[]> {
    try {
      return await keptCookies(this.#pool, this.#keys, crawlId, origin);
    } catch (error) {
      if (error instanceof KeyMissing) return [];
      throw error;
    }
  }
}

const nameOf = ({ crawlId, origin, token }: JarPlace): string =>
  `${String(crawlId)} ${String(token)} ${origin}`;
