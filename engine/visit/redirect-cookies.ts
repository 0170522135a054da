/**
 * The cookies that redirects set, for the chain that they belong to and no longer: each hop is a URL of the frontier, and
 * takes along what the hops before it were given. Kept in this process alone, by crawl and URL, and never stored. After a
 * crash, where the next hop is asked by another process, or where the cookies had to make room for others of the tenant,
 * a chain is lost: it begins anew at the hop that it has reached, and may then ask each of its URLs once more. Its hops
 * count on, so that it ends all the same.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Cookie, cookieField, cookiesAfter, joinedFields } from '../../domain/cookies.ts';
import { registrableDomain } from '../../storage/seeds/index.ts';
import type { LeasedUrl } from '../../storage/frontier/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';

/**
 * Tenants with chains under way at a time, bytes of the chains of each (a usual chain has some 300, one without cookies
 * 200, none more than 11,000), and milliseconds for which a chain waits for its next hop. So no tenant makes chains of
 * another one go on without their cookies, and all together have 32 MB at most.
 */
const most = { tenants: 64, bytes: 500_000, waitMs: 600_000 };

interface Chain {
  readonly cookies: readonly Cookie[];
  /** What went along with the requests of the chain (`fingerprint`), by key of the URL. As many as it has hops. */
  readonly asked: Readonly<Record<string, string>>;
  /** Part of the chain is lost: what it has asked before is not known. */
  readonly lost?: true;
}

/** As JSON: text of its own, of known length. The cookies that were read are views that hold the head of their answer. */
type Chains = LRUCache<string, string>;

/** Is a name no public suffix, so that hosts below it belong together? */
const isShared = (domain: string): boolean => registrableDomain(domain) !== null;

const fingerprint = (field: string | null): string =>
  field === null ? '' : hash('sha256', field, 'base64url').slice(0, 16);

export class RedirectCookies {
  readonly #ofTenants = new LRUCache<number, Chains>({ max: most.tenants });

  /** The chain at one of its URLs. @param key hex */
  at(
    crawl: Pick<OpenCrawl, 'id' | 'tenantId'>,
    { key, url, hops }: Pick<LeasedUrl, 'key' | 'url' | 'hops'>,
  ): ChainLink {
    return new ChainLink(this, crawl, key, new URL(url), hops > 0);
  }

  /** The chains of a tenant that has some; undefined: it has none. */
  of(tenantId: number): Chains | undefined {
    return this.#ofTenants.get(tenantId);
  }

  keep(tenantId: number, name: string, chain: string): void {
    let chains = this.of(tenantId);
    if (chains === undefined) {
      const sizeCalculation = (text: string, its: string): number => its.length + text.length;
      chains = new LRUCache({ maxSize: most.bytes, sizeCalculation, ttl: most.waitMs });
      this.#ofTenants.set(tenantId, chains);
    }
    chains.set(name, chain);
  }
}

export class ChainLink {
  readonly #kept: RedirectCookies;
  readonly #crawl: Pick<OpenCrawl, 'id' | 'tenantId'>;
  readonly #key: string;
  readonly #url: URL;
  /** The Cookie field of the request; null: none of the cookies goes along. */
  readonly #sent: string | null;
  /** Redirects have led here, and nothing is known of their chain. */
  readonly #isLost: boolean;
  #chain: Chain;

  /** @param isHop redirects have led to the URL */
  constructor(
    kept: RedirectCookies,
    crawl: Pick<OpenCrawl, 'id' | 'tenantId'>,
    key: string,
    url: URL,
    isHop: boolean,
  ) {
    this.#kept = kept;
    this.#crawl = crawl;
    this.#key = key;
    this.#url = url;
    const chain = kept.of(crawl.tenantId)?.get(this.#name(key));
    this.#isLost = isHop && chain === undefined;
    const begun: Chain = { cookies: [], asked: {}, ...(this.#isLost && ({ lost: true } as const)) };
    this.#chain = chain === undefined ? begun : (JSON.parse(chain) as Chain);
    this.#sent = cookieField(this.#chain.cookies, url);
  }

  /** The headers of the request, with the cookies of the chain among those of the crawl. */
  headers(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    if (this.#sent === null) return given;
    const [name, own] = Object.entries(given).find(([each]) => /^cookie$/i.test(each)) ?? ['Cookie', ''];
    return { ...given, [name]: joinedFields(own, this.#sent) };
  }

  /**
   * Takes the cookies that the answer sets. Where a chain was lost, the URL may be asked once more like its others: the
   * chain may lead here before it has the cookies that it had.
   */
  answered(setCookie: string | undefined): void {
    const { cookies, asked } = this.#chain;
    this.#kept.of(this.#crawl.tenantId)?.delete(this.#name(this.#key));
    this.#chain = {
      ...this.#chain,
      cookies: cookiesAfter(cookies, setCookie, this.#url, isShared, Date.now()),
      asked: this.#isLost ? asked : { ...asked, [this.#key]: fingerprint(this.#sent) },
    };
  }

  /** Was this URL asked in this chain, or may it have been, with other cookies than would go along with it now? */
  isChanged(key: string, url: string): boolean {
    const sent = this.#chain.asked[key];
    if (sent === undefined) return this.#chain.lost === true;
    return sent !== fingerprint(cookieField(this.#chain.cookies, new URL(url)));
  }

  /** The URL with this key is asked again, or next. */
  goesOn(key = this.#key): void {
    this.#kept.keep(this.#crawl.tenantId, this.#name(key), JSON.stringify(this.#chain));
  }

  #name(key: string): string {
    return `${String(this.#crawl.id)} ${key}`;
  }
}
