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
import type { PageFilter } from '../../contracts/http/page-filter.ts';
import type { PageField, PageView } from '../../contracts/http/results.ts';
import { findCrawl } from '../crawls/index.ts';
import {
  hostShare,
  listPagesOfHost,
  listPages,
  type PageFeedRow,
  type PagePlace,
  pagesHorizon,
} from './lists.sql.ts';
import { unpackOutlinks } from './outlinks.ts';
import type { Queryable } from '../postgres/index.ts';

/** About the most bytes of packed links, and characters of text and links, in one answer. */
const maxLinkBytes = 4 * 1024 * 1024;
const maxCharacters = 4 * 1024 * 1024;
/** Most pages looked at for one answer. 20,000 take some 20 ms if they are in memory. */
const mostLooked = 20_000;

/**
 * Reads the text of a body, by the body's SHA-256 in hex and its Content-Type field. Null: the body is gone, or is not
 * text.
 */
export type TextReader = (contentHash: string, contentType: string | null) => Promise<string | null>;

export interface PagesRequest {
  /** Null: from the start. */
  readonly cursor: string | null;
  readonly limit: number;
  readonly fields: readonly PageField[];
  readonly filter?: PageFilter;
}

export interface PagesAnswer {
  /** May be fewer than the limit, or none, though more follow: `more` says whether more do. */
  readonly items: readonly PageView[];
  /** Null: the crawl is closed and nothing follows. */
  readonly next: string | null;
  /** True: further pages may be there already. */
  readonly more: boolean;
}

const start: PagePlace = { micros: 0, hostId: '0', key: '' };

/** 'unknown-crawl' and 'bad-cursor' say what is wrong with the query. */
export async function readPages(
  db: Queryable,
  crawlId: string,
  request: PagesRequest,
  textOf: TextReader,
): Promise<PagesAnswer | 'unknown-crawl' | 'bad-cursor'> {
  const { limit, fields, filter = {} } = request;
  const cursor = request.cursor === null ? start : decodeCursor(request.cursor);
  if (cursor === null) return 'bad-cursor';
  const { since = 0 } = filter;
  const from = cursor.micros < since ? { ...start, micros: since } : cursor;
  // The crawl is read before its pages: all pages of a closed crawl were committed before it closed.
  const crawl = await findCrawl(db, crawlId);
  if (crawl === null) return 'unknown-crawl';
  const closed = closedCrawlStates.includes(crawl.state);
  const horizon = closed ? null : ((await pagesHorizon(db, crawlId))[0]?.micros ?? 0);
  const rows = await rowsAfter(db, crawlId, from, horizon, limit, fields, filter);

  const items: PageView[] = [];
  let last = from;
  let characters = 0;
  for (const row of rows) {
    if (row.fits) {
      const page = await pageOf(row, fields, textOf);
      characters += (page.text?.length ?? 0) + (page.links ?? []).reduce((sum, link) => sum + link.length, 0);
      if (items.length > 0 && characters > maxCharacters) break;
      items.push(page);
    }
    last = { micros: row.micros, hostId: String(row.host_id), key: row.key };
  }
  // With links or texts an answer may be short because of their size: only an empty answer is the end.
  const more =
    fields.length > 0 ? rows.length > 0 : rows.length >= limit || rows.at(-1)?.looked === mostLooked;
  return { items, next: closed && !more ? null : encodeCursor(last), more };
}

async function rowsAfter(
  db: Queryable,
  crawlId: string,
  { micros, hostId, key }: PagePlace,
  horizon: number | null,
  limit: number,
  fields: readonly PageField[],
  { host, status, contentType }: PageFilter,
): Promise<readonly PageFeedRow[]> {
  const [share] = host === undefined ? [] : await hostShare(db, crawlId, host);
  if (host !== undefined && share === undefined) return [];
  const common = [
    crawlId, micros, hostId, key, horizon, limit, fields.includes('links'), maxLinkBytes,
    status?.least ?? null, status?.most ?? null, contentType ?? null,
  ] as const; // prettier-ignore
  return share !== undefined && share.urls <= mostLooked
    ? listPagesOfHost(db, ...common, share.host_id)
    : listPages(db, ...common, share?.host_id ?? null, mostLooked);
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
): AsyncGenerator<readonly PageView[]> {
  for (let cursor: string | null = null; ;) {
    const answer: PagesAnswer | 'unknown-crawl' | 'bad-cursor' = await readPages(
      db,
      crawlId,
      { cursor, limit: 1_000, fields, filter },
      textOf,
    );
    if (typeof answer === 'string')
      throw new Error(`the pages of crawl ${crawlId} cannot be read: ${answer}`);
    yield answer.items;
    if (!answer.more || answer.next === null) return;
    cursor = answer.next;
  }
}

async function pageOf(row: PageFeedRow, fields: readonly PageField[], textOf: TextReader): Promise<PageView> {
  return {
    url: row.url,
    state: row.state,
    status: row.status,
    reason: row.reason,
    title: row.title,
    description: row.description,
    language: row.language,
    words: row.words,
    linkCount: row.links,
    contentHash: row.content_hash,
    contentType: row.content_type,
    bytes: row.bytes,
    depth: row.depth,
    fetchedAt: row.fetched_at.toISOString(),
    duplicateOf: row.duplicate_of,
    redirectTo: row.redirect_to,
    noindex: row.noindex,
    canonical: row.canonical,
    cut: row.cut ?? {},
    ...(fields.includes('links') && { links: linksOf(row) }),
    ...(fields.includes('text') && { text: await readText(row, textOf) }),
  };
}

function linksOf({ origin, outlinks }: PageFeedRow): string[] | null {
  return origin === null || outlinks === null ? null : unpackOutlinks(origin, outlinks);
}

/** Null if nothing was extracted: an error page has a body too, but its text is not shown. */
async function readText(row: PageFeedRow, textOf: TextReader): Promise<string | null> {
  if (row.words === null || row.content_hash === null) return null;
  return textOf(row.content_hash, row.content_type);
}

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
