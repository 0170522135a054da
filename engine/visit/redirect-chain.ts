/**
 * Chains of redirects: each hop is a URL of the frontier, and takes along the cookies that the hops before it were given.
 * The cookies are kept in this process alone, and never stored. All else of a chain stands in the row of the next hop until
 * that hop is answered, so that a crash, or another process that asks for the hop, changes nothing for a chain without
 * cookies. One whose cookies are lost or over begins anew at the hop that it has reached, and may ask for each of its URLs
 * once more; so does a URL to which redirects have led on another day (a recrawl, a redrive).
 */
import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Cookie, cookieField, cookiesAfter } from '../../domain/cookies.ts';
import { withFields } from '../../domain/session/session.ts';
import { type LeasedUrl, readChain } from '../../storage/frontier/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { registrableDomain } from '../../storage/seeds/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { lastUsed } from '../last-used.ts';

/**
 * Tenants with chains under way at a time, bytes of cookies of each (a usual chain has some 200, none more than 8,200), URLs
 * to which they have led, and for how many milliseconds both are kept: sessions last as long at most sites. So no tenant
 * makes chains of another one go on without their cookies, and all together have 32 MB of cookies at most.
 */
const most = { tenants: 64, bytes: 500_000, urls: 2_000, waitMs: 1_800_000 };

/** What the row of a hop has, as JSON: some 60 characters for each redirect. */
interface Chain {
  /** The name by which a process keeps the cookies; absent: the chain has none. */
  readonly jar?: string;
  /** What went along with the requests of the chain (`fingerprint`), by key of the URL. As many as it has hops. */
  readonly asked: Readonly<Record<string, string>>;
  readonly redirects: number;
  /** It begins in its middle: what was asked before, with cookies that are lost or on another day, does not count. */
  readonly anew?: true;
}

/** Is a name no public suffix, so that hosts below it belong together? */
const isShared = (domain: string): boolean => registrableDomain(domain) !== null;

const fingerprint = (field: string | null): string =>
  field === null ? '' : hash('sha256', field, 'base64url').slice(0, 16);

type Hop = Pick<LeasedUrl, 'key' | 'url' | 'hops' | 'chained'>;
type OfTenant = Pick<OpenCrawl, 'id' | 'tenantId'>;

const nameOf = ({ id }: OfTenant, key: string): string => `${String(id)} ${key}`;

/** As JSON: text of its own, of known length. The cookies that were read are views that hold the head of their answer. */
type Jars = LRUCache<string, string>;

/** What a process knows of the chains of a tenant. */
interface Known {
  readonly jars: Jars;
  /**
   * The URLs to which chains have led; '': their rows have the chains. A visit may have leased such a URL before, and looks
   * into its row once more.
   */
  readonly ledTo: LRUCache<string, string>;
}

export class Chains {
  readonly #ofTenants = lastUsed<number, Known>(most.tenants);

  /** The chain at one of its URLs. */
  async at(pool: Pool, hostId: string, crawl: OfTenant, url: Hop): Promise<RedirectChain> {
    const led = this.#of(crawl).ledTo.get(nameOf(crawl, url.key));
    const stored = led ?? (url.chained ? '' : undefined);
    const row = stored === '' ? (await readChain(pool, hostId, crawl.id, url.key))[0]?.chain : stored;
    const chain = row === undefined ? null : (JSON.parse(row) as Chain);
    const jar = chain?.jar === undefined ? '[]' : this.#of(crawl).jars.get(chain.jar);
    return new RedirectChain(url, chain, jar === undefined ? null : (JSON.parse(jar) as Cookie[]));
  }

  /** Keeps the cookies of a chain. Returns what the row of its next hop is to have; null: there is nothing to tell. */
  keep(crawl: OfTenant, chain: RedirectChain): string | null {
    const { jar, cookies } = chain;
    if (jar !== undefined) this.#of(crawl).jars.set(jar, JSON.stringify(cookies));
    return chain.stored;
  }

  /** Runs `write`, which stores the chain in the row of the URL with this key. Meanwhile the chain is had from here. */
  async while<T>(crawl: OfTenant, key: string, stored: string | null, write: () => Promise<T>): Promise<T> {
    const { ledTo } = this.#of(crawl);
    ledTo.set(nameOf(crawl, key), stored ?? '');
    try {
      return await write();
    } finally {
      ledTo.set(nameOf(crawl, key), '');
    }
  }

  #of({ tenantId }: OfTenant): Known {
    let known = this.#ofTenants.get(tenantId);
    if (known === undefined) {
      const sizeCalculation = (text: string, name: string): number => name.length + text.length;
      known = {
        jars: new LRUCache({ maxSize: most.bytes, sizeCalculation, ttl: most.waitMs }),
        ledTo: lastUsed(most.urls, most.waitMs),
      };
      this.#ofTenants.set(tenantId, known);
    }
    return known;
  }
}

export class RedirectChain {
  readonly #key: string;
  readonly #url: URL;
  /** The Cookie field of the request; null: none of the cookies goes along. */
  readonly #sent: string | null;
  /** Its URL is the first of a chain that begins anew. */
  readonly #isFirst: boolean;
  #chain: Chain;
  #cookies: readonly Cookie[];

  /** @param chain null: none is known. @param cookies those of the chain; null: they are lost */
  constructor({ key, url, hops }: Hop, chain: Chain | null, cookies: readonly Cookie[] | null) {
    this.#key = key;
    this.#url = new URL(url);
    const now = Date.now();
    const goesOn = chain !== null && cookies?.every(({ endsAt }) => endsAt === null || endsAt > now) === true;
    this.#isFirst = !goesOn && (hops > 0 || chain !== null);
    // One redirect may have led here on another day (`queueDue`).
    const anew = { redirects: chain?.redirects ?? hops - 1, anew: true } as const;
    this.#chain = goesOn ? chain : { asked: {}, redirects: 0, ...(this.#isFirst && anew) };
    this.#cookies = goesOn ? cookies : [];
    this.#sent = cookieField(this.#cookies, this.#url);
  }

  /** The name by which the cookies are kept; undefined: there are none. */
  get jar(): string | undefined {
    return this.#chain.jar;
  }

  get cookies(): readonly Cookie[] {
    return this.#cookies;
  }

  get redirects(): number {
    return this.#chain.redirects;
  }

  get stored(): string | null {
    return this.redirects > 0 || this.jar !== undefined ? JSON.stringify(this.#chain) : null;
  }

  /** For the row of a URL that waits already: its redirects are not those of this chain. */
  get takenOver(): string {
    return JSON.stringify({ ...this.#chain, redirects: 0 });
  }

  /** The headers of the request, with the cookies of the chain among those of the crawl. */
  headers(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return withFields(given, this.#sent);
  }

  /**
   * Takes the cookies that the answer sets. The first URL of a chain that begins anew may be asked once more like its
   * others: the chain may lead here before it has the cookies that it had.
   */
  answered(setCookie: string | undefined): void {
    const { jar = randomBytes(12).toString('base64url'), asked, ...chain } = this.#chain;
    this.#cookies = cookiesAfter(this.#cookies, setCookie, this.#url, isShared, Date.now());
    this.#chain = {
      ...chain,
      ...(this.#cookies.length > 0 && { jar }),
      asked: this.#isFirst ? asked : { ...asked, [this.#key]: fingerprint(this.#sent) },
    };
  }

  /** The answer was a redirect that is followed. */
  redirected(): void {
    this.#chain = { ...this.#chain, redirects: this.#chain.redirects + 1 };
  }

  /** Was this URL asked in this chain, or may it have been, with other cookies than would go along with it now? */
  isChanged(key: string, url: string): boolean {
    const sent = this.#chain.asked[key];
    if (sent === undefined) return this.#chain.anew === true;
    return sent !== fingerprint(this.#fieldAt(url));
  }

  /** Do cookies go along to this URL? */
  opens(url: string): boolean {
    return this.#fieldAt(url) !== null;
  }

  #fieldAt(url: string): string | null {
    return cookieField(this.#cookies, new URL(url));
  }
}
