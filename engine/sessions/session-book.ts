/**
 * The sessions of crawls as the visits of a process use them: opened once for each change, and kept in memory alone. What
 * goes along with a request is told at the moment of the request.
 */
import type { RequestHeaders } from '../../domain/request-headers.ts';
import { fieldsFor } from '../../domain/session/session.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import type { LeasedUrl } from '../../storage/frontier/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { registrableDomain } from '../../storage/seeds/index.ts';
import { foundAt, openSession, type SecretKeys, type SessionValue } from '../../storage/sessions/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { lastUsed } from '../last-used.ts';

/** Sessions that are remembered, some kilobytes each as a rule. */
const most = 200;

/** What goes along with a request of a crawl that has a session. */
export interface Attached {
  readonly headers: RequestHeaders;
  /** Texts that the site shows to those who are not logged in. */
  readonly loggedOutTexts: readonly string[];
}

type OfCrawl = Pick<OpenCrawl, 'id' | 'sessionRevision'>;
type Asked = Pick<LeasedUrl, 'url' | 'key' | 'kind'>;

export class SessionBook {
  readonly #pool: Pool;
  readonly #keys: SecretKeys;
  readonly #opened = lastUsed<string, readonly SessionValue[]>(most);

  constructor(pool: Pool, keys: SecretKeys) {
    this.#pool = pool;
    this.#keys = keys;
  }

  /**
   * What of the session goes along with the request for a URL; null: nothing of it belongs there.
   * @throws KeyMissing
   */
  async attachedTo(crawl: OfCrawl, hostId: string, asked: Asked): Promise<Attached | null> {
    if (crawl.sessionRevision === 0) return null;
    const parts = await this.#of(crawl);
    const url = new URL(asked.url);
    const isCrossSite = parts.length > 0 && (await this.#isCrossSite(crawl.id, hostId, asked, url));
    const content = {
      cookies: parts.flatMap(({ cookies }) => cookies),
      fields: parts.flatMap(({ fields }) => fields),
    };
    const headers = fieldsFor(content, url, isCrossSite, Date.now());
    if (headers === null) return null;
    const texts = parts.map(({ loggedOutText }) => loggedOutText);
    return { headers, loggedOutTexts: texts.filter((text) => text !== null) };
  }

  /** The egress proxy by which all requests of the crawl go; null: they go directly. @throws KeyMissing */
  async proxyOf(crawl: OfCrawl): Promise<string | null> {
    if (crawl.sessionRevision === 0) return null;
    return (await this.#of(crawl)).find(({ proxy }) => proxy !== undefined)?.proxy ?? null;
  }

  async #of(crawl: OfCrawl): Promise<readonly SessionValue[]> {
    const name = `${String(crawl.id)} ${String(crawl.sessionRevision)}`;
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    const opened = await openSession(this.#pool, this.#keys, crawl.id);
    this.#opened.set(name, opened);
    return opened;
  }

  /**
   * Is the URL wanted by a page of another site, as RFC 6265bis §5.2 has it? Pages are asked for as by somebody who opens
   * them. What a page needs is seen from the place where it was first found; where that is not known, as from elsewhere.
   */
  async #isCrossSite(crawlId: number, hostId: string, { kind, key }: Asked, url: URL): Promise<boolean> {
    if (kind !== storedKinds.requisite) return false;
    const [page] = await foundAt(this.#pool, hostId, crawlId, key);
    return page === undefined || siteOf(new URL(page.origin)) !== siteOf(url);
  }
}

const siteOf = ({ protocol, hostname }: URL): string =>
  `${protocol}//${registrableDomain(hostname) ?? hostname}`;
