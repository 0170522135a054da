/**
 * One crawl of many URLs, worked as workers and schedulers work it, but for the web: URLs come in by the real admission,
 * and what is fetched is made up.
 */
import type { Candidate } from '../engine/admission/candidates.ts';
import { newFront } from '../domain/front-queue/front-state.ts';
import { candidate } from '../engine/admission/candidates.ts';
import { Admission } from '../engine/admission/admission.ts';
import { openBooks } from '../engine/books/books.ts';
import { loadConfig } from '../config/config.ts';
import { defaultCrawlConfig } from '../contracts/crawl.ts';
import { canonicalize } from '../domain/url.ts';
import { setCrawlState, viewCrawl } from '../storage/crawls/index.ts';
import { shardActivity, takeTurns } from '../storage/feeding/index.ts';
import { FrontierWriter, leaseUrls, type ResultRow } from '../storage/frontier/index.ts';
import { takeLease } from '../storage/leases/index.ts';
import { pageBatches } from '../storage/pages/index.ts';
import { createPool } from '../storage/postgres/index.ts';
import { readSeeds } from '../storage/seeds/index.ts';
import { MemorySeenCache } from '../storage/seen/index.ts';
import { createCrawl } from '../storage/starting/index.ts';

/** Links of a page, at how many hosts they lie (each gets a slice's worth), and pages that are read at the same time. */
const [linksOfPage, hostsOfPage, readers] = [40, 4, 8];
export const hostCount = 10_000;
/** URLs that a slice leases. */
export const sliceUrls = 10;

export type LeasedPlace = Pick<ResultRow, 'host_id' | 'crawl_id' | 'key' | 'token'>;

const hostOf = (n: number): string => `https://host-${String(n % hostCount)}.example`;
const urlOf = (host: number, n: number): string =>
  `${hostOf(host)}/section-${String(n % 40)}/a-page-with-a-usual-name-${String(n)}`;

/** What a page of 24 KB brings. */
const fetched = (place: LeasedPlace): ResultRow => ({
  ...place,
  state: 'done',
  config_version: null,
  reason: 'fetched',
  detail: null,
  stage: 0,
  due_in_ms: 0,
  attempted: false,
  own: false,
  behind: 0,
  answered: true,
  status: 200,
  bytes: 24_000,
  content_hash: place.key.repeat(2),
  content_type: 'text/html; charset=utf-8',
  robots_tag: null,
  link_fields: null,
  etag: '"a-usual-etag-1a2b3c"',
  last_modified: null,
  redirect_to: null,
  next_url: null,
  truncated: null,
  took_ms: 80,
  headers: null,
});

const read = ({ host_id, crawl_id, key }: LeasedPlace, content_id: number) => ({
  content_id,
  host_id,
  crawl_id,
  key,
  title: 'A page with a usual title',
  description: 'What the page is about, said in one sentence',
  language: 'en',
  charset: 'utf-8',
  words: 300,
  links: linksOfPage,
  canonical: null,
  noindex: false,
  nofollow: false,
  text_hash: null,
  meta: null,
  fields: null,
  outlinks: Array.from({ length: linksOfPage }, (_, n) => urlOf(0, n).slice(hostOf(0).length)).join('\n'),
  counters: [],
});

export async function openScaleCrawl(databaseUrl: string) {
  // As in a worker and in the API: hosts, their pages and schedulers by key, reading of crawls otherwise.
  const pool = createPool(databaseUrl, 12, () => undefined, { planned: 'by-key' });
  const control = createPool(databaseUrl, 4, () => undefined);
  const { userAgent, shards } = loadConfig();
  const books = openBooks(pool, { userAgent, allowPrivate: [], shards });
  const writer = new FrontierWriter(pool);
  const admission = new Admission({ seen: new MemorySeenCache(), wakeHosts: () => undefined }, books);
  const id = Number(await createCrawl(pool, { ...defaultCrawlConfig, scope: 'any' }, readSeeds([hostOf(0)])));
  await setCrawlState(pool, id, 'running', null, null);
  const crawl = await books.crawls.open(id);

  let admitted = 0;
  const link = (host: number, n: number, parent: number): Candidate => {
    const url = canonicalize(urlOf(host, n));
    if (!url.ok) throw new Error(`no URL: ${url.rejected}`);
    return candidate(crawl, url.value, {
      in: 'page',
      page: { host_id: parent, key: '00'.repeat(16), depth: 3, priority: 0.25 },
    });
  };
  /** Stores pages of links until `urls` more are admitted. @param hostAt host of the nth of them */
  const admit = async (urls: number, hostAt: (n: number) => number): Promise<void> => {
    let next = 0;
    const reader = async (): Promise<void> => {
      while (next < urls) {
        const from = next;
        next = Math.min(urls, from + linksOfPage);
        const found = Array.from({ length: next - from }, (_, at) => link(hostAt(from + at), admitted++, 1));
        await admission.store(writer, found);
      }
    };
    await Promise.all(Array.from({ length: readers }, reader));
  };

  let front = newFront(1);

  return {
    pool,
    /** So many URLs of each of these hosts, found on pages that link to a few hosts beside one another. */
    admitAt: (firstHost: number, hosts: number, ofEach: number) =>
      admit(hosts * ofEach, (n) => firstHost + Math.floor(n / linksOfPage) * hostsOfPage + (n % hostsOfPage)),
    /** Spread over all hosts. */
    fill: (urls: number) => admit(urls, (n) => n),
    admitted: () => admitted,
    known: async (): Promise<void> => {
      await pool.query('update host set known_at = now() where known_at is null');
    },
    /** Ids of hosts, in the order of their names, from one on. */
    hosts: async (from: number, count: number): Promise<number[]> => [
      ...(await books.hosts.idsOf(Array.from({ length: count }, (_, n) => hostOf(from + n)))).values(),
    ],
    takeLease: async (host: number): Promise<number> => {
      const [lease] = await takeLease(pool, String(host), 600_000);
      if (lease === undefined) throw new Error(`host ${String(host)} is taken`);
      return lease.token;
    },
    lease: async (host: number, token: number): Promise<LeasedPlace[]> => {
      const rooms = JSON.stringify([{ crawl_id: id, pages: null, weight: 1 }]);
      const urls = await leaseUrls(pool, String(host), token, sliceUrls, rooms);
      return urls.map(({ crawl_id, key }) => ({ host_id: host, crawl_id, key, token }));
    },
    commit: (place: LeasedPlace) => writer.write({ results: [fetched(place)] }),
    store: async (places: readonly LeasedPlace[]): Promise<void> => {
      const { rows } = await pool.query<{ id: number }>(
        `insert into content (crawl_id, hash, host_id, key, tenant_id)
         select $1, sha256(decode(key, 'hex')), host_id, decode(key, 'hex'), 1
           from json_to_recordset($2) as r(host_id bigint, key text) returning id`,
        [id, JSON.stringify(places)],
      );
      await writer.write({ pages: places.map((place, n) => read(place, rows[n]?.id ?? 0)) });
    },
    /** One tick of a scheduler that has room for so many hosts in all. */
    tick: async (activeHosts: number): Promise<number> => {
      const turns = await takeTurns(pool, 0, activeHosts, front);
      ({ front } = turns);
      await shardActivity(pool, 0);
      return turns.fed.length;
    },
    giveBack: async (): Promise<void> => {
      await pool.query('update host set fed = false where fed');
    },
    status: () => viewCrawl(control, String(id)),
    /** Answers how many rows there were, `most` at most. */
    exportRows: async (most: number): Promise<number> => {
      let rows = 0;
      for await (const batch of pageBatches(control, String(id), [], () => Promise.resolve(null), {})) {
        rows += batch.length;
        if (rows >= most) break;
      }
      return rows;
    },
    close: async (): Promise<void> => {
      await pool.end();
      await control.end();
    },
  };
}
