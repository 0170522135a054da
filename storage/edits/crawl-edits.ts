/**
 * Settings of crawls that change while they run (G6). A version is in force from its commit on. Afterwards a job judges
 * the frontier by the version, batch by batch; any worker may go on with the job. Queued URLs that the settings no
 * longer admit are excluded with the rule; excluded URLs that the settings admit now are queued again; leased URLs are
 * left alone.
 *
 * Lock order: the crawl, then host_queue rows by host, then URLs.
 */
import { wholeConfig, type CrawlConfig } from '../../contracts/crawl.ts';
import { isOver, whyNoMore, type CrawlStands, type LimitEnding } from '../../domain/crawl-life.ts';
import { lifeUnderEdit, type LifeUnderEdit } from '../../domain/finish.ts';
import { inTransaction, type Pool, type Queryable, retrying } from '../postgres/index.ts';
import {
  dropOldConfigs,
  endConfig,
  listConfigs,
  type ConfigRow,
  lockForEdit,
  type JudgedCounts,
  noteJudged,
  pendingConfig,
  type PendingConfig,
  storeConfig,
} from './versions.sql.ts';
import { judgeUrls, type JudgedUrl } from './judging.sql.ts';
import { crawlOutlook, lockCrawls, reopenClosedCrawls } from '../crawls/index.ts';

export interface Edit {
  /** Makes the wanted settings from the present ones. */
  readonly change: (config: CrawlConfig) => CrawlConfig;
  /** The edit is made only if the crawl still has one of these versions; null: any. */
  readonly seen: readonly number[] | null;
  readonly author: string;
  readonly note: string | null;
  readonly restores: number | null;
  /** The edit is made also if it ends the crawl. */
  readonly mayEnd: boolean;
}

export type EditOutcome =
  | { readonly kind: 'same'; readonly version: number }
  /** `loginChanged`: its headers are others. */
  | { readonly kind: 'stored'; readonly version: number; readonly loginChanged: boolean }
  /** Somebody else was first. */
  | { readonly kind: 'outdated'; readonly version: number }
  | ({ readonly kind: 'over' } & CrawlStands)
  /** The edit would end the crawl, and was not told that it may. */
  | { readonly kind: 'ends'; readonly by: LimitEnding }
  | { readonly kind: 'unknown' };

/**
 * Limits for the versions of a crawl that are kept to be looked at and restored: their number, apart from the first
 * version, and their bytes in Postgres.
 */
const versionsKept = 1_000;
const versionBytes = 64 * 1024 * 1024;

export function storeEdit(pool: Pool, crawlId: string, edit: Edit): Promise<EditOutcome> {
  return inTransaction(pool, async (db) => {
    const [crawl] = await lockForEdit(db, crawlId);
    if (crawl === undefined) return { kind: 'unknown' };
    const { state, cause, reason, config_version: version } = crawl;
    if (edit.seen?.includes(version) === false) return { kind: 'outdated', version };
    const before = wholeConfig(crawl.config);
    const after = edit.change(before);
    const under = await lifeAfter(db, crawlId, before, after);
    if (under.life === 'over') return { kind: 'over', state, cause, reason };
    if (isSame(before, after)) return { kind: 'same', version };
    if (under.life === 'ends' && !edit.mayEnd) return { kind: 'ends', by: under.by };
    const rereads = before.scope !== after.scope && after.sitemap !== 'only' && after.follow;
    const { author, note, restores } = edit;
    const config = JSON.stringify(after);
    await storeConfig(db, crawlId, version + 1, config, author, note, restores, rereads);
    await dropOldConfigs(db, crawlId, versionsKept, versionBytes);
    // Only an open crawl admits what is found in its pages, and has its URLs queued again that a limit had cut off.
    if (isOver(state) && (rereads || under.life === 'goes-on'))
      await reopenClosedCrawls(db, [Number(crawlId)]);
    const loginChanged = JSON.stringify(before.headers) !== JSON.stringify(after.headers);
    return { kind: 'stored', version: version + 1, loginChanged };
  });
}

/** What an edit does, or would do, to the life of a crawl. @throws Error if there is no such crawl */
export async function lifeAfter(
  db: Queryable,
  crawlId: string,
  before: CrawlConfig,
  after: CrawlConfig,
): Promise<LifeUnderEdit> {
  const [crawl] = await crawlOutlook(db, Number(crawlId));
  if (crawl === undefined) throw new Error(`there is no crawl ${crawlId}`);
  return lifeUnderEdit({ ...crawl, runningMs: crawl.running_ms ?? 0 }, before, after);
}

/** The order of the fields does not count, and both sides are compared as JSON gives them. */
const isSame = (one: CrawlConfig, other: CrawlConfig): boolean => {
  const inOrder = (config: CrawlConfig): string =>
    JSON.stringify(Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1)));
  return inOrder(one) === inOrder(other);
};

/** A version of a crawl's settings; null: the crawl has no version with that number. */
export async function findConfig(pool: Pool, crawlId: string, version: number): Promise<ConfigRow | null> {
  const [row] = await listConfigs(pool, crawlId, version, 1);
  return row?.version === version ? row : null;
}

/** Versions that one statement reads. */
const readAtOnce = 4;

/**
 * Versions from `most` down, up to `limit`. Together they hold about `bytes` of JSON at most, but one version always
 * comes. Also answers whether there are more.
 */
export async function readConfigs(
  pool: Pool,
  crawlId: string,
  most: number,
  limit: number,
  bytes: number,
): Promise<{ readonly rows: readonly ConfigRow[]; readonly next: number | null }> {
  const rows: ConfigRow[] = [];
  let size = 0;
  for (let from = most; ;) {
    const found = await listConfigs(pool, crawlId, from, readAtOnce);
    for (const row of found) {
      size += JSON.stringify(row.config).length;
      if (rows.length === limit || (rows.length > 0 && size > bytes)) return { rows, next: row.version };
      rows.push(row);
    }
    const last = found.at(-1);
    if (last === undefined || found.length < readAtOnce) return { rows, next: null };
    from = last.version - 1;
  }
}

/** How far a job has come in a crawl's URLs, hosts or pages. */
export interface EditPlace {
  /** The job judges URLs one by one, then fills hosts up to their limit, then reads pages again. */
  readonly of: 'urls' | 'hosts' | 'pages';
  readonly hostId: number;
  /** Hex; '': before the first URL or page of the host, or after the host as a whole. */
  readonly key: string;
}

const firstPlace: EditPlace = { of: 'urls', hostId: 0, key: '' };

const written = ({ of, hostId, key }: EditPlace): string => `${of}:${String(hostId)}:${key}`;

/** @throws if the text does not name a place */
export function readPlace(text: string | null): EditPlace {
  if (text === null) return firstPlace;
  const [, of, hostId, key] = /^(urls|hosts|pages):(\d+):([0-9a-f]*)$/.exec(text) ?? [];
  if ((of !== 'urls' && of !== 'hosts' && of !== 'pages') || hostId === undefined || key === undefined)
    throw new Error(`${text} does not name a place in a frontier`);
  return { of, hostId: Number(hostId), key };
}

export interface JudgedBatch {
  readonly version: number;
  /** Revision of the seeds by which the URLs were judged. */
  readonly seedsRevision: number;
  readonly from: string | null;
  readonly to: EditPlace;
  /** The number of URLs looked at. */
  readonly judged: number;
  readonly moved: readonly JudgedUrl[];
}

export interface MovedBatch {
  readonly excluded: number;
  readonly readmitted: number;
  /** Hosts at which URLs were queued again. */
  readonly hosts: readonly number[];
}

/**
 * Null: nothing was done, because there is another version or there are more seeds, the crawl ended, or another job has
 * taken over at that place.
 */
export function applyBatch(pool: Pool, crawlId: string, batch: JudgedBatch): Promise<MovedBatch | null> {
  const id = Number(crawlId);
  return inTransaction(pool, async (db) => {
    await lockCrawls(db, [id]);
    const [pending] = await pendingConfig(db, crawlId);
    if (pending?.version !== batch.version || pending.place !== batch.from) return null;
    if (pending.seeds_revision !== batch.seedsRevision) return null;
    if (whyNoMore(pending) !== null) return null;
    const rows = batch.moved.map((row) => ({ ...row, crawl_id: id }));
    const moved = rows.length === 0 ? [] : await judgeUrls(db, JSON.stringify(rows));
    const back = moved.filter(({ was, state }) => was === 'excluded' && state === 'queued');
    const excluded = moved.filter(({ was, state }) => was === 'queued' && state === 'excluded').length;
    const { version, from, judged } = batch;
    const counts: JudgedCounts = { judged, excluded, readmitted: back.length, reread: 0, admitted: 0 };
    await noteJudged(db, crawlId, version, from, written(batch.to), JSON.stringify(counts));
    if (back.length > 0 && isOver(pending.state)) await reopenClosedCrawls(db, [id]);
    return { excluded, readmitted: back.length, hosts: [...new Set(back.map(({ host_id }) => host_id))] };
  });
}

/** Notes pages that were read again, unless another job has taken over at that place. */
export async function noteReread(
  pool: Pool,
  crawlId: string,
  { version, from, to }: Pick<JudgedBatch, 'version' | 'from' | 'to'>,
  reread: number,
  admitted: number,
): Promise<void> {
  const counts: JudgedCounts = { judged: 0, excluded: 0, readmitted: 0, reread, admitted };
  await retrying(() => noteJudged(pool, crawlId, version, from, written(to), JSON.stringify(counts)));
}

/** Does nothing if another job has taken over at that place, or if the frontier must be judged once more. */
export async function endEdit(
  pool: Pool,
  crawlId: string,
  { version, place }: Pick<PendingConfig, 'version' | 'place'>,
  state: 'applied' | 'stopped',
): Promise<void> {
  await retrying(() => endConfig(pool, crawlId, version, state, place));
}
