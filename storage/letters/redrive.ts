/**
 * Drives dead letters again (G7), in batches of one transaction each: the letters are taken, their URLs are queued
 * with all their tries, and crawls that had ended run again. A re-drive that is cut off anywhere and run again neither
 * loses nor doubles a letter.
 *
 * Lock order: crawls by id, parked hosts by id, host_queue rows by host, then letters and URLs; the triggers lock
 * the session's own ledger shard last. Returns the hosts at which URLs were queued; the caller must wake them, and must
 * signal the crawls that run again.
 */
import {
  redriveBar,
  redriveNotBefore,
  restingClass,
  restMs,
  type DeadLetterClass,
  type RedriveCounts,
} from '../../domain/dead-letter.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import { chooseClassLetters, chooseCrawlLetters, type LetterPlace, chooseHostLetters } from './choose.sql.ts';
import {
  holdParkedHosts,
  lockRedrivenCrawls,
  type RedrivenCrawl,
  redriveDeadLetters,
} from './redrive.sql.ts';
import { lockHostQueues } from '../frontier/index.ts';
import { reopenClosedCrawls } from '../crawls/index.ts';

/** Which letters: those of a crawl, of a host, or of a crawl at a host; null stands for any. */
export type LetterFilter = {
  readonly class: DeadLetterClass | null;
  /** Key of one URL, hex. */
  readonly key: string | null;
} & (
  | { readonly crawlId: string; readonly hostId: string | null }
  | { readonly crawlId: null; readonly hostId: string }
);

/** The letter after which to go on. */
export type LetterCursor = Pick<LetterPlace, 'crawl_id' | 'host_id' | 'key'>;

export interface RedrivenBatch extends RedriveCounts {
  /** Hosts at which URLs were queued. */
  readonly hosts: readonly number[];
  /** Null: no more letters follow. */
  readonly next: LetterCursor | null;
}

/** Letters in one transaction: some dozen milliseconds of locks. */
const batchSize = 1_000;
const largestId = '9223372036854775807';

const cursorForm = /^(\d{1,15})\.(\d{1,15})\.((?:[0-9a-f]{2}){16})$/;

export const encodeCursor = ({ crawl_id, host_id, key }: LetterCursor): string =>
  Buffer.from(`${String(crawl_id)}.${String(host_id)}.${key}`).toString('base64url');

/** Null: `cursor` is not one of ours. */
export function decodeCursor(cursor: string): LetterCursor | null {
  const parts = cursorForm.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  const [, crawl, host, key] = parts ?? [];
  if (crawl === undefined || host === undefined || key === undefined) return null;
  return { crawl_id: Number(crawl), host_id: Number(host), key };
}

/** Letters after a place, in the order that cursors follow. */
export function chooseLetters(
  db: Queryable,
  filter: LetterFilter,
  after: LetterCursor | null,
  limit: number,
): Promise<LetterPlace[]> {
  const { class: letterClass, key, hostId } = filter;
  const place = { key, afterKey: after?.key ?? '', limit };
  if (filter.crawlId === null)
    return chooseHostLetters(db, {
      ...place,
      hostId: filter.hostId,
      letterClass,
      afterCrawl: after?.crawl_id ?? 0,
    });
  const hosts = { firstHost: hostId ?? '0', lastHost: hostId ?? largestId, afterHost: after?.host_id ?? 0 };
  const ofCrawl = { ...place, ...hosts, crawlId: filter.crawlId };
  return letterClass === null
    ? chooseCrawlLetters(db, ofCrawl)
    : chooseClassLetters(db, { ...ofCrawl, letterClass });
}

/** Redrives the next letters. To run this again from any place is safe. */
export async function redriveBatch(
  pool: Pool,
  filter: LetterFilter,
  after: LetterCursor | null,
  limit = batchSize,
): Promise<RedrivenBatch> {
  const chosen = await chooseLetters(pool, filter, after, limit);
  const rests = ({ class: letterClass, age_ms }: LetterPlace): boolean =>
    letterClass === restingClass && age_ms < restMs;
  const resting = chosen.filter(rests);
  const ready = chosen.filter((letter) => !rests(letter));
  const moved = ready.length === 0 ? nothing : await inTransaction(pool, (db) => move(db, ready));
  const oldest = Math.max(...resting.map(({ age_ms }) => age_ms));
  return {
    ...moved,
    resting: resting.length,
    notBefore: resting.length === 0 ? null : redriveNotBefore(restingClass, Math.ceil(Date.now() - oldest)),
    next: chosen.length < limit ? null : (chosen.at(-1) ?? null),
  };
}

type Moved = Pick<RedrivenBatch, 'requeued' | 'atParked' | 'barred' | 'hosts'>;
const nothing: Moved = { requeued: 0, atParked: 0, barred: 0, hosts: [] };

async function move(db: Queryable, letters: readonly LetterPlace[]): Promise<Moved> {
  const crawls = await lockRedrivenCrawls(db, unique(letters.map(({ crawl_id }) => crawl_id)));
  const open = new Set(crawls.filter((crawl) => barOf(crawl) === null).map(({ id }) => id));
  const places = letters
    .filter(({ crawl_id }) => open.has(crawl_id))
    .map(({ crawl_id, host_id, key }) => ({ crawl_id, host_id, key }));
  const barred = letters.length - places.length;
  if (places.length === 0) return { ...nothing, barred };
  const held = await holdParkedHosts(db, unique(places.map(({ host_id }) => host_id)));
  const parked = new Set(held.map(({ id }) => id));
  await lockHostQueues(db, JSON.stringify(places));
  const moved = await redriveDeadLetters(db, JSON.stringify(places), restingClass, restMs);
  const live = moved.filter(({ host_id }) => !parked.has(host_id));
  // Work that waits at parked hosts does not keep a crawl open (domain/finish.ts), so it does not reopen a crawl
  // either.
  if (live.length > 0)
    await reopenClosedCrawls(
      db,
      unique(live.map(({ crawl_id }) => crawl_id)).filter((id) => open.has(id)),
    );
  return {
    requeued: moved.length,
    atParked: moved.length - live.length,
    barred,
    hosts: unique(moved.map(({ host_id }) => host_id)),
  };
}

const barOf = ({ state, cause, reason, pages, since_start_ms, max_pages, max_seconds }: RedrivenCrawl) =>
  redriveBar({
    state,
    cause,
    reason,
    pages,
    sinceStartMs: since_start_ms,
    maxPages: max_pages,
    maxSeconds: max_seconds,
  });

/**
 * Why no letter of a crawl may be driven again now, in the words of `redriveBar`; `bar` null: letters may be.
 * 'unknown-crawl': there is no such crawl.
 */
export async function crawlBar(
  db: Queryable,
  crawlId: string,
): Promise<{ readonly bar: string | null } | 'unknown-crawl'> {
  const [crawl] = await lockRedrivenCrawls(db, [Number(crawlId)]);
  return crawl === undefined ? 'unknown-crawl' : { bar: barOf(crawl) };
}

const unique = (ids: readonly number[]): number[] => [...new Set(ids)];
