/**
 * The pages feed: every URL of a crawl that was answered and has its outcome, in a fixed order, so that a cursor never
 * skips or repeats one, also while the crawl runs. The feed of an open crawl therefore ends a little before the
 * present, at the first body that waits for extraction or for a commit (`pagesHorizon`); the feed of a closed crawl is
 * whole.
 *
 * A filter may fit few pages of millions. One answer looks at no more than `mostLooked` of them, and its cursor stands
 * where it stopped looking: a search that finds nothing is a series of short queries, none of which burdens the
 * database. An index for each filter would have to be written with each page. Only if the filter names a host that has
 * few URLs, the pages of that host are read directly.
 *
 * A URL that is fetched again (its body was lost) moves to its new place in the feed and so may come twice.
 */
import { closedCrawlStates } from '../../contracts/crawl.ts';
import type { Repeated } from '../../contracts/extraction.ts';
import type { PageFilter } from '../../contracts/http/page-filter.ts';
import type { PageAnchor, PageImage } from '../../contracts/http/page-details.ts';
import type { PageView } from '../../contracts/http/results.ts';
import {
  askedFields,
  listedNames,
  pageFields,
  type ListedPage,
  type PageField,
} from '../../contracts/page-fields.ts';
import type { PageRules } from '../../contracts/page-rules.ts';
import { storedKinds, type StoredKind } from '../../domain/url-kind.ts';
import { cutBy, unreadCuts, unruledCuts, type Cut } from '../../domain/limits.ts';
import { repeatedReader } from '../boilerplate/index.ts';
import { findCrawl, findRules } from '../crawls/index.ts';
import {
  hostShare,
  listPagesOfHost,
  listPages,
  pageByKey,
  type PageFeedRow,
  type PagePlace,
  pagesHorizon,
  placeOfLatest,
} from './lists.sql.ts';
import { unpackOutlinks } from './outlinks.ts';
import { filterParams, type FeedParams } from './page-feed.ts';
import type { Queryable } from '../postgres/index.ts';

/** About the most bytes of packed links and metadata, and characters of texts and links, in one answer. */
const maxStoredBytes = 4 * 1024 * 1024;
const maxCharacters = 4 * 1024 * 1024;
/** Most pages looked at for one answer. 20,000 take some 20 ms if they are in memory. */
const mostLooked = 20_000;

/** Milliseconds after which an answer is short rather than late: a document may take half a minute to read. */
const longestMs = 10_000;

interface ReadBody {
  readonly text: string;
  /** Without what surrounds it on the page. */
  readonly main: string;
  readonly repeated: PageView['repeated'] | null;
  readonly anchors: readonly PageAnchor[];
  readonly images: readonly PageImage[];
  /** What reading it again cost the page beside what was cut when it was stored. */
  readonly cut?: Cut;
}

/**
 * Reads a body, by its SHA-256 in hex, its Content-Type field, the URL of its page and the rules of the crawl, without
 * the blocks that are repeated. Null: the body is gone.
 */
export type TextReader = (
  contentHash: string,
  contentType: string | null,
  url: string,
  rules: PageRules | null,
  repeated: Repeated,
) => Promise<ReadBody | null>;

/** Fields that are read from the body. */
export const bodyFields = pageFields.filter((field) => askedFields[field].from === 'body');

export interface PagesRequest {
  /** Null: from the start. */
  readonly cursor: string | null;
  /** Begin with the latest pages, as many as the limit, instead of the first ones. */
  readonly isLatest?: boolean;
  readonly limit: number;
  readonly fields: readonly PageField[];
  readonly filter?: PageFilter;
  /** What the URLs were fetched for; absent: pages alone. */
  readonly kinds?: Kinds;
  /** Only pages that were answered before this time, in microseconds since 1970. */
  readonly until?: number;
}

export interface PagesAnswer {
  /** May be fewer than the limit, or none, though more follow: `more` says whether more do. */
  readonly items: readonly PageView[];
  /** How many of these are pages, and no sitemaps or files of pages. */
  readonly pages: number;
  /** Null: the crawl is closed and nothing follows. */
  readonly next: string | null;
  /** True: further pages may be there already. */
  readonly more: boolean;
}

/** Kinds of URLs of which the feed tells. */
type Kinds = readonly StoredKind[];
const pagesAlone: Kinds = [storedKinds.page];

type RepeatedIn = (url: string) => Promise<Repeated>;

const start: PagePlace = { micros: 0, hostId: '0', key: '' };

/** 'unknown-crawl' and 'bad-cursor' say what is wrong with the query. */
export async function readPages(
  db: Queryable,
  crawlId: string,
  request: PagesRequest,
  textOf: TextReader,
): Promise<PagesAnswer | 'unknown-crawl' | 'bad-cursor'> {
  const { limit, fields, filter = {}, until = null, kinds = pagesAlone } = request;
  const cursor = request.cursor === null ? start : decodeCursor(request.cursor);
  if (cursor === null) return 'bad-cursor';
  const { since = 0 } = filter;
  // The crawl is read before its pages: all pages of a closed crawl were committed before it closed.
  const crawl = await findCrawl(db, crawlId);
  if (crawl === null) return 'unknown-crawl';
  const closed = closedCrawlStates.includes(crawl.state);
  const final = closed ? null : ((await pagesHorizon(db, crawlId, null))[0]?.micros ?? 0);
  const horizon = final === null || until === null ? (final ?? until) : Math.min(final, until);
  const [latest] = request.isLatest === true ? await placeOfLatest(db, { crawlId, horizon, limit }) : [];
  const place = latest ?? cursor;
  const from = place.micros < since ? { ...start, micros: since } : place;
  const rows = await rowsAfter(db, filter.host, {
    ...from,
    ...filterParams(filter, kinds),
    crawlId,
    horizon,
    limit,
    fields,
    mostBytes: maxStoredBytes,
  });

  const items: PageView[] = [];
  let pages = 0;
  const repeatedIn = repeatedReader(db, crawlId);
  const isSlow = readsBodies(fields);
  const rules = isSlow ? await findRules(db, crawlId) : null;
  const begunAt = performance.now();
  let last = from;
  let characters = 0;
  for (const row of rows) {
    if (row.fits) {
      const page = await pageOf(row, fields, textOf, rules, repeatedIn);
      characters += (page.text?.length ?? 0) + (page.main?.length ?? 0);
      characters += sizeOf(page.anchors) + sizeOf(page.images);
      characters += (page.links ?? []).reduce((sum, link) => sum + link.length, 0);
      if (items.length > 0 && characters > maxCharacters) break;
      items.push(page);
      pages += Number(row.kind === storedKinds.page);
    }
    last = { micros: row.micros, hostId: String(row.host_id), key: row.key };
    if (isSlow && performance.now() - begunAt > longestMs) break;
  }
  // With links or texts an answer may be short because of their size: only an empty answer is the end.
  const more =
    fields.length > 0 ? rows.length > 0 : rows.length >= limit || rows.at(-1)?.looked === mostLooked;
  return { items, pages, next: closed && !more ? null : encodeCursor(last), more };
}

/** One URL of a crawl as the feed tells of it. Null: it was not answered. @param place its key in hex */
export async function readPage(
  db: Queryable,
  place: { readonly crawlId: string; readonly host: number; readonly key: string },
  fields: readonly PageField[],
  textOf: TextReader,
): Promise<PageView | null> {
  const [row] = await pageByKey(db, { ...place, fields, mostBytes: maxStoredBytes });
  if (row === undefined) return null;
  const { crawlId } = place;
  const rules = readsBodies(fields) ? await findRules(db, crawlId) : null;
  return pageOf(row, fields, textOf, rules, repeatedReader(db, crawlId));
}

const readsBodies = (fields: readonly PageField[]): boolean =>
  bodyFields.some((field) => fields.includes(field));

async function rowsAfter(
  db: Queryable,
  origin: string | undefined,
  params: FeedParams,
): Promise<readonly PageFeedRow[]> {
  const [share] = origin === undefined ? [] : await hostShare(db, params.crawlId, origin);
  if (origin !== undefined && share === undefined) return [];
  return share !== undefined && share.urls <= mostLooked
    ? listPagesOfHost(db, { ...params, host: share.host_id })
    : listPages(db, { ...params, host: share?.host_id ?? null, mostLooked });
}

/**
 * Every page from the start, as far as the feed goes now (whole for a closed crawl), in batches of a thousand at most.
 * A batch is empty if no page in its part of the feed fits the filter.
 */
export async function* pageBatches(
  db: Queryable,
  crawlId: string,
  fields: readonly PageField[],
  textOf: TextReader,
  filter: PageFilter,
  kinds?: Kinds,
): AsyncGenerator<readonly PageView[]> {
  for (let cursor: string | null = null; ;) {
    const answer: PagesAnswer | 'unknown-crawl' | 'bad-cursor' = await readPages(
      db,
      crawlId,
      { cursor, limit: 1_000, fields, filter, ...(kinds && { kinds }) },
      textOf,
    );
    if (typeof answer === 'string')
      throw new Error(`the pages of crawl ${crawlId} cannot be read: ${answer}`);
    yield answer.items;
    if (!answer.more || answer.next === null) return;
    cursor = answer.next;
  }
}

/** As the API shows values: instants in ISO 8601, bytes in hex. */
const shown = (value: unknown): unknown =>
  value instanceof Date ? value.toISOString() : Buffer.isBuffer(value) ? value.toString('hex') : value;

async function pageOf(
  row: PageFeedRow,
  fields: readonly PageField[],
  textOf: TextReader,
  rules: PageRules | null,
  repeatedIn: RepeatedIn,
): Promise<PageView> {
  const page = Object.fromEntries(listedNames.map((name) => [name, shown(row[name])])) as ListedPage;
  const body = readsBodies(fields) ? await readBody(page, textOf, rules, repeatedIn) : null;
  const repeated = body?.repeated ?? null;
  const asked: Readonly<Record<PageField, unknown>> = {
    ...(body ?? noBody),
    links: linksOf(row),
    meta: row.meta,
    fields: row.fields,
  };
  return {
    ...page,
    cut: cutBy(page.cut, body?.cut ?? {}),
    ...Object.fromEntries(fields.map((field) => [field, asked[field]])),
    ...(repeated !== null && (fields.includes('text') || fields.includes('main')) && { repeated }),
  };
}

/** About as many characters as a list of links or images takes. */
const sizeOf = (list: readonly Readonly<Record<string, string>>[] | null = null): number =>
  (list ?? []).reduce((sum, one) => sum + Object.values(one).join('').length + 20, 0);

function linksOf({ origin, outlinks }: PageFeedRow): string[] | null {
  return origin === null || outlinks === null ? null : unpackOutlinks(origin, outlinks);
}

/** Null if nothing was extracted: an error page has a body too, but its text is not shown. */
async function readBody(
  page: ListedPage,
  textOf: TextReader,
  rules: PageRules | null,
  repeatedIn: RepeatedIn,
): Promise<ReadBody | null> {
  const { cut, contentHash } = page;
  if (page.words === null || contentHash === null) return null;
  // A document that gave no text would take as long again, and give none.
  if (unreadCuts.some((kind) => cut[kind] !== undefined)) return nothing;
  // Rules that took too long would take as long again.
  const unruled = unruledCuts.some((kind) => cut[kind] !== undefined);
  const url = (page.duplicateBy === 'body' ? page.duplicateOf : null) ?? page.url;
  return textOf(contentHash, page.contentType, url, unruled ? null : rules, await repeatedIn(url));
}

const noBody = { text: null, main: null, anchors: null, images: null };
const nothing: ReadBody = { text: '', main: '', repeated: null, anchors: [], images: [] };

const cursorForm = /^(\d{1,18})\.(\d{1,18})\.((?:[0-9a-f]{2}){0,16})$/;

function encodeCursor(place: PagePlace): string {
  return Buffer.from(`${String(place.micros)}.${place.hostId}.${place.key}`).toString('base64url');
}

/** Null: `cursor` is not one of ours. */
function decodeCursor(cursor: string): PagePlace | null {
  const parts = cursorForm.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  const [, micros, hostId, key] = parts ?? [];
  if (micros === undefined || hostId === undefined || key === undefined) return null;
  return { micros: Number(micros), hostId, key };
}
