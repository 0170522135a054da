/**
 * Chains of redirects: each hop is a URL of the frontier, and takes along the cookies that the hops before it were given.
 * The row of the next hop holds its chain until that hop is answered, so that a crash, or another process that asks for
 * the hop, changes nothing. Where redirects have led to a URL on another day (a recrawl, a redrive), or its cookies are
 * over, its chain begins anew and may ask for each of its URLs once more.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Cookie, cookieField, cookiesAfter, joinedFields } from '../../domain/cookies.ts';
import { type LeasedUrl, readChain } from '../../storage/frontier/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { registrableDomain } from '../../storage/seeds/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';

/** Milliseconds for which sessions last at most sites, at least: an older chain begins anew. */
const lastsMs = 1_800_000;

/** As JSON some 300 characters, and none more than 11,000 (domain/cookies.ts). */
interface Chain {
  /** When it was stored, in milliseconds since 1970. */
  readonly at: number;
  readonly cookies: readonly Cookie[];
  /** What went along with the requests of the chain (`fingerprint`), by key of the URL. As many as it has hops. */
  readonly asked: Readonly<Record<string, string>>;
  readonly redirects: number;
  /** It begins in its middle: what was asked before, with cookies that are over or on another day, does not count. */
  readonly anew?: true;
}

/** Is a name no public suffix, so that hosts below it belong together? */
const isShared = (domain: string): boolean => registrableDomain(domain) !== null;

const fingerprint = (field: string | null): string =>
  field === null ? '' : hash('sha256', field, 'base64url').slice(0, 16);

type Hop = Pick<LeasedUrl, 'key' | 'url' | 'hops' | 'chained'>;
type OfTenant = Pick<OpenCrawl, 'id' | 'tenantId'>;

const nameOf = ({ id }: OfTenant, key: string): string => `${String(id)} ${key}`;

/** Tenants, URLs of each, and milliseconds for which a visit may hold a URL that it has leased. */
const most = { tenants: 64, urls: 2_000, leasedMs: 600_000 };

/**
 * To which URLs chains have led in this process; '': their rows have the chains. A visit may have leased such a URL before, and looks into its row once
 * more. By tenant, so that none makes chains of another one go on without their cookies.
 */
export class LedTo {
  readonly #ofTenants = new LRUCache<number, LRUCache<string, string>>({ max: most.tenants });

  /** The chain at one of its URLs. */
  async at(pool: Pool, hostId: string, crawl: OfTenant, url: Hop): Promise<RedirectChain> {
    const known = this.#ofTenants.get(crawl.tenantId)?.get(nameOf(crawl, url.key));
    const stored = known ?? (url.chained ? '' : undefined);
    if (stored !== '') return new RedirectChain(url, stored);
    const [row] = await readChain(pool, hostId, crawl.id, url.key);
    return new RedirectChain(url, row?.chain);
  }

  /** Runs `write`, which stores the chain in the row of the URL with this key. Meanwhile the chain is had from here. */
  async while<T>(crawl: OfTenant, key: string, chain: RedirectChain, write: () => Promise<T>): Promise<T> {
    const name = nameOf(crawl, key);
    let urls = this.#ofTenants.get(crawl.tenantId);
    if (urls === undefined) {
      urls = new LRUCache({ max: most.urls, ttl: most.leasedMs });
      this.#ofTenants.set(crawl.tenantId, urls);
    }
    urls.set(name, chain.stored ?? '');
    try {
      return await write();
    } finally {
      urls.set(name, '');
    }
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

  /** @param stored as JSON; absent: none is known */
  constructor({ key, url, hops }: Hop, stored?: string) {
    this.#key = key;
    this.#url = new URL(url);
    const now = Date.now();
    const known = stored === undefined ? null : (JSON.parse(stored) as Chain);
    const live = known?.cookies.filter(({ endsAt }) => endsAt === null || endsAt > now) ?? [];
    const goesOn = known !== null && known.at > now - lastsMs && live.length === known.cookies.length;
    this.#isFirst = hops > 0 && !goesOn;
    // One redirect may have led here on another day (`queueDue`).
    const anew = { redirects: known?.redirects ?? hops - 1, anew: true } as const;
    const begun: Chain = { at: now, cookies: [], asked: {}, redirects: 0, ...(this.#isFirst && anew) };
    this.#chain = goesOn ? known : begun;
    this.#sent = cookieField(this.#chain.cookies, this.#url);
  }

  get redirects(): number {
    return this.#chain.redirects;
  }

  /** For the row of the next hop; null: there is nothing to tell. */
  get stored(): string | null {
    const { redirects, cookies } = this.#chain;
    return redirects === 0 && cookies.length === 0
      ? null
      : JSON.stringify({ ...this.#chain, at: Date.now() });
  }

  /** For the row of a URL that waits already: its redirects are not those of this chain. */
  get takenOver(): string {
    return JSON.stringify({ ...this.#chain, at: Date.now(), redirects: 0 });
  }

  /** The headers of the request, with the cookies of the chain among those of the crawl. */
  headers(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    if (this.#sent === null) return given;
    const [name, own] = Object.entries(given).find(([each]) => /^cookie$/i.test(each)) ?? ['Cookie', ''];
    return { ...given, [name]: joinedFields(own, this.#sent) };
  }

  /**
   * Takes the cookies that the answer sets. The first URL of a chain that begins anew may be asked once more like its
   * others: the chain may lead here before it has the cookies that it had.
   */
  answered(setCookie: string | undefined): void {
    const { cookies, asked } = this.#chain;
    this.#chain = {
      ...this.#chain,
      cookies: cookiesAfter(cookies, setCookie, this.#url, isShared, Date.now()),
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
    return cookieField(this.#chain.cookies, new URL(url));
  }
}
