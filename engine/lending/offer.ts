/**
 * Admits links that a foreign fetcher has found (F37), by the same rules as our own extraction: canonical form, scope,
 * filters, limits, opt-outs, and once for each crawl.
 */
import { canonicalize } from '../../domain/url.ts';
import { urlKey } from '../../contracts/url-key.ts';
import { inTransaction, retrying } from '../../storage/postgres/index.ts';
import { admitUrls, holdConfigs, orOutdated } from '../../storage/frontier/index.ts';
import { findParents, type ParentRow, unstoredUrls } from '../../storage/lending/index.ts';
import type { Judged } from '../admission/admission.ts';
import { candidate, type Candidate } from '../admission/candidates.ts';
import type { LendingContext } from './context.ts';

export interface Offered {
  readonly url: string;
  /** Null: the link has no parent. */
  readonly parentUrl: string | null;
  /** Links from a seed; at least the parent's depth plus 1 holds. */
  readonly depth: number;
}

export interface Taken {
  /** URLs that were new to their crawl and are queued now, spelled and ordered as offered. */
  readonly newUrls: readonly string[];
  /** Links that were refused, by their index in the offer. */
  readonly rejected: readonly { readonly index: number; readonly why: string }[];
  /** Indexes of links whose crawl is not known. Nothing was done with them. */
  readonly unplaced: readonly number[];
}

const placeOf = (crawlId: number, key: string): string => `${String(crawlId)} ${key}`;

/** Candidates admitted in one statement. */
const batch = 1_000;

/**
 * @param crawlId an open crawl of the tenant. Null: for each link, the crawl for which its parent was last lent, or else
 * the only crawl that has met the parent
 * @throws CrawlOver
 */
export async function offer(
  context: LendingContext,
  tenantId: number,
  crawlId: string | null,
  offered: readonly Offered[],
): Promise<Taken> {
  const rejected: { index: number; why: string }[] = [];
  const unplaced: number[] = [];
  const parents = await parentsOf(context, tenantId, crawlId, offered);
  const ofParent = new Map<string, number>();
  const candidates: Candidate[] = [];
  const givenAs = new Map<string, string>();
  for (const [index, { url, parentUrl, depth }] of offered.entries()) {
    const reject = (why: string): void => void rejected.push({ index, why });
    const link = canonicalize(url);
    if (!link.ok) {
      reject(`url: ${link.rejected}`);
      continue;
    }
    const known = parentUrl === null ? [] : (parents.get(parentUrl) ?? []);
    const parent = parentOf(known);
    if (crawlId === null && parent === undefined) {
      unplaced.push(index);
      continue;
    }
    if (parentUrl !== null && parent === undefined) {
      reject('parent_url: the crawl has not met this URL');
      continue;
    }
    const crawl = await context.books.crawls.open(parent?.crawl_id ?? Number(crawlId));
    if (crawl.config.sitemap === 'only') {
      reject('url: the crawl takes pages from sitemaps and seeds only');
      continue;
    }
    if (!crawl.config.follow) {
      reject('url: the crawl follows no links');
      continue;
    }
    if (parentUrl !== null) {
      const links = (ofParent.get(parentUrl) ?? 0) + 1;
      ofParent.set(parentUrl, links);
      if (links > crawl.config.maxLinksPerPage) {
        reject(
          `parent_url: the crawl takes at most ${String(crawl.config.maxLinksPerPage)} links from a page`,
        );
        continue;
      }
    }
    const place = placeOf(crawl.id, urlKey(link.value.canonical).toString('hex'));
    if (!givenAs.has(place)) givenAs.set(place, url);
    const found =
      parent === undefined
        ? ({ in: 'offer', depth } as const)
        : ({ in: 'page', page: parent, depth } as const);
    candidates.push(candidate(crawl, link.value, found));
  }
  const queued = new Set<string>();
  const { admission } = context;
  for (let at = 0; at < candidates.length; at += batch) {
    let judged = await admission.judge(candidates.slice(at, at + batch));
    let fresh = await orOutdated(store(context, judged));
    for (; fresh === 'outdated'; fresh = await orOutdated(store(context, judged)))
      judged = await admission.anew(judged);
    await admission.remember(judged);
    for (const row of fresh) if (row.queued) queued.add(placeOf(row.crawl_id, row.key));
  }
  const newUrls = [...givenAs].flatMap(([place, url]) => (queued.has(place) ? [url] : []));
  return { newUrls, rejected, unplaced };
}

/** The parent's row in the crawl for which it was last lent, or in the only crawl that met it; otherwise undefined. */
function parentOf(known: readonly ParentRow[]): ParentRow | undefined {
  const lent = known.filter(({ lent_at }) => lent_at !== null);
  if (lent.length === 0) return known.length === 1 ? known[0] : undefined;
  return lent.reduce((one, other) => ((other.lent_at ?? 0) > (one.lent_at ?? 0) ? other : one));
}

/** The crawl has ended meanwhile, so nothing was stored. The links may be offered again. */
export class CrawlOver extends Error {
  override readonly name = 'CrawlOver';
  readonly crawlId: number;

  constructor(crawlId: number) {
    super(`crawl ${String(crawlId)} has ended`);
    this.crawlId = crawlId;
  }
}

type Stored = Awaited<ReturnType<typeof admitUrls>>;

/** Stores rows, returns the new ones. Rows that were not stored must not be remembered as seen. @throws CrawlOver */
async function store({ pool }: LendingContext, { admissions: rows, judged }: Judged): Promise<Stored> {
  if (judged.length > 0) await retrying(() => holdConfigs(pool, JSON.stringify(judged)));
  if (rows.length === 0) return [];
  const fresh = await inTransaction(pool, (db) => admitUrls(db, rows));
  if (fresh.length === rows.length) return fresh;
  const places = rows.map(({ host_id, crawl_id, key }) => ({ host_id, crawl_id, key }));
  const [lost] = await retrying(() => unstoredUrls(pool, JSON.stringify(places)));
  if (lost !== undefined) throw new CrawlOver(lost.crawl_id);
  return fresh;
}

/** Rows of the parents, by the spelling in which they were given. */
async function parentsOf(
  { pool }: LendingContext,
  tenantId: number,
  crawlId: string | null,
  offered: readonly Offered[],
): Promise<ReadonlyMap<string, readonly ParentRow[]>> {
  const places = [...new Set(offered.flatMap(({ parentUrl }) => parentUrl ?? []))].flatMap((spelling) => {
    const read = canonicalize(spelling);
    if (!read.ok) return [];
    return [{ spelling, host: read.value.host, key: urlKey(read.value.canonical).toString('hex') }];
  });
  if (places.length === 0) return new Map();
  const asked = [...new Map(places.map(({ host, key }) => [key, { host, key }])).values()];
  const found = Map.groupBy(
    await findParents(pool, tenantId, crawlId, JSON.stringify(asked)),
    (row) => row.key,
  );
  return new Map(places.map(({ spelling, key }) => [spelling, found.get(key) ?? []]));
}
