/**
 * The cookies that redirects set, for the chain that they belong to and no longer: each hop is a URL of the frontier, and
 * takes along what the hops before it were given. Kept in this process alone, by crawl and URL, and never stored. After a
 * crash, or where the next hop is asked by another process, the chain goes on without them.
 */
import { LRUCache } from 'lru-cache';
import { type Cookie, cookieField, cookiesAfter } from '../../domain/cookies.ts';
import { registrableDomain } from '../../storage/seeds/index.ts';

/** Chains under way at a time, and milliseconds for which one waits for its next hop. */
const most = { chains: 1_000, waitMs: 600_000 };

interface Chain {
  readonly cookies: readonly Cookie[];
  /** What went along with the requests of the chain: Cookie fields, or '', by key of the URL. */
  readonly asked: ReadonlyMap<string, string>;
}

const noChain: Chain = { cookies: [], asked: new Map() };

/** Is a name no public suffix, so that hosts below it belong together? */
const isShared = (domain: string): boolean => registrableDomain(domain) !== null;

export class RedirectCookies {
  readonly #chains = new LRUCache<string, Chain>({ max: most.chains, ttl: most.waitMs });

  /** The chain at one of its URLs. @param key hex */
  at(crawlId: number, key: string, url: string): ChainLink {
    const name = `${String(crawlId)} ${key}`;
    return new ChainLink(this.#chains, crawlId, key, new URL(url), this.#chains.get(name) ?? noChain);
  }
}

export class ChainLink {
  readonly #chains: LRUCache<string, Chain>;
  readonly #crawlId: number;
  readonly #key: string;
  readonly #url: URL;
  readonly #sent: string;
  #chain: Chain;

  constructor(chains: LRUCache<string, Chain>, crawlId: number, key: string, url: URL, chain: Chain) {
    this.#chains = chains;
    this.#crawlId = crawlId;
    this.#key = key;
    this.#url = url;
    this.#chain = chain;
    this.#sent = cookieField(chain.cookies, url) ?? '';
  }

  /** The headers of the request, with the cookies of the chain behind those of the crawl. */
  headers(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    if (this.#sent === '') return given;
    const [name = 'Cookie', own] = Object.entries(given).find(([each]) => /^cookie$/i.test(each)) ?? [];
    return { ...given, [name]: own === undefined ? this.#sent : `${own}; ${this.#sent}` };
  }

  /** Takes the cookies that the answer sets. */
  answered(setCookie: string | undefined): void {
    const { cookies, asked } = this.#chain;
    this.#chains.delete(this.#name(this.#key));
    this.#chain = {
      cookies: cookiesAfter(cookies, setCookie, this.#url, isShared, Date.now()),
      asked: new Map([...asked, [this.#key, this.#sent]]),
    };
  }

  /** Was this URL asked in this chain with other cookies than would go along with it now? */
  isChanged(key: string, url: string): boolean {
    const sent = this.#chain.asked.get(key);
    return sent !== undefined && sent !== (cookieField(this.#chain.cookies, new URL(url)) ?? '');
  }

  /** The URL with this key is asked again, or next. */
  goesOn(key = this.#key): void {
    if (this.#chain.cookies.length > 0) this.#chains.set(this.#name(key), this.#chain);
  }

  #name(key: string): string {
    return `${String(this.#crawlId)} ${key}`;
  }
}
