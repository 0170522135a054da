/**
 * Bodies that were stored when a URL was fetched before, in this crawl or an earlier one. With them a server can answer
 * 304 if the page has not changed (RFC 9110 §13): no body is transferred, and the stored body is read like a new one.
 * The first crawl of a host pays one short statement for this; a later crawl pays one more for each slice.
 */
import type { FetchRequest } from '../../contracts/fetching.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { earlierCopies, type EarlierCopy } from '../../storage/pages/index.ts';
import { earlierCrawls } from '../../storage/crawls/index.ts';
import type { LeasedUrl } from '../../storage/frontier/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { lastUsed } from '../last-used.ts';

/** Null: there is no earlier copy, or its body is gone, so the URL must be fetched whole. */
export type FindBody = (url: LeasedUrl) => EarlierCopy | null;

export const noBodies: FindBody = () => null;

export class EarlierBodies {
  readonly #pool: Pool;
  /** By host and crawl: the earlier crawls whose bodies may be used. */
  readonly #crawls = lastUsed<string, readonly number[]>(20_000);

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Finds the earlier copies for the URLs of a slice. */
  async of(hostId: string, urls: readonly LeasedUrl[], crawls: readonly OpenCrawl[]): Promise<FindBody> {
    const wanted: { crawl_id: number; key: string; among: readonly number[] }[] = [];
    for (const [crawlId, ofCrawl] of Map.groupBy(urls, (url) => url.crawl_id)) {
      const crawl = crawls.find(({ id }) => id === crawlId);
      if (crawl === undefined || crawl.config.fresh) continue;
      const among = await this.#crawlsBefore(hostId, crawlId);
      for (const { key, etag, last_modified: lastModified } of ofCrawl) {
        if (among.length > 0 || etag !== null || lastModified !== null)
          wanted.push({ crawl_id: crawlId, key, among });
      }
    }
    if (wanted.length === 0) return noBodies;
    const copies = new Map(
      (await earlierCopies(this.#pool, hostId, JSON.stringify(wanted))).map((copy) => [
        name(copy.crawl_id, copy.key),
        copy,
      ]),
    );
    return (url) => copies.get(name(url.crawl_id, url.key)) ?? null;
  }

  async #crawlsBefore(hostId: string, crawlId: number): Promise<readonly number[]> {
    const at = `${hostId} ${String(crawlId)}`;
    const known = this.#crawls.get(at);
    if (known !== undefined) return known;
    const found = (await earlierCrawls(this.#pool, hostId, crawlId)).map((row) => row.crawl_id);
    this.#crawls.set(at, found);
    return found;
  }
}

const name = (crawlId: number, key: string): string => `${String(crawlId)} ${key}`;

export const validatorsOf = (copy: EarlierCopy | null): Pick<FetchRequest, 'etag' | 'lastModified'> => ({
  ...(typeof copy?.etag === 'string' && { etag: copy.etag }),
  ...(typeof copy?.last_modified === 'string' && { lastModified: copy.last_modified }),
});
