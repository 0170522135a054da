/**
 * Sessions of crawls: given, taken back, opened; and what follows where a site has logged a crawl out. Locks in the one
 * order: crawl, hosts by id, queues of hosts, URLs.
 */
import { renderAgain } from '../rendering/index.ts';
import type { Cookie } from '../../domain/cookies.ts';
import type { SessionContent } from '../../domain/session/session.ts';
import { endingsThatGoOn, isOver } from '../../domain/crawl-life.ts';
import { crawlStands, loadCrawls, lockCrawls, reopenClosedCrawls } from '../crawls/index.ts';
import { tellOfHost } from '../hosts/index.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import type { SecretKeys } from './secret-keys.ts';
import {
  findJar,
  letBackIn,
  listSessions,
  lockHosts,
  loggedOutHosts,
  markLoggedOut,
  putSession,
  raiseSessionRevision,
  removeSession,
  type SessionKind,
} from './sessions.sql.ts';

/** A part of a session as it is kept under one place. */
export interface SessionPart {
  readonly place: string;
  readonly kind: Exclude<SessionKind, 'kept'>;
  readonly names: readonly string[];
  /** Milliseconds since 1970; null: it has no end of its own. */
  readonly endsAt: number | null;
  readonly value: SessionValue;
}

/** What is sealed. */
export interface SessionValue extends SessionContent {
  /** A text that the site shows to those who are not logged in; null: nobody has given one. */
  readonly loggedOutText: string | null;
  /** With its name and password; absent: it says nothing of a proxy. */
  readonly proxy?: string;
}

/** Places at which a crawl may have something. */
export const mostPlaces = 200;
/** Pages that are given back to be rendered in one statement. */
const pagesAtOnce = 1_000;
/** Hosts that let a crawl in again in one transaction, and are then told at once: a fraction of a second. */
const hostsAtOnce = 100;

export const boundTo = (crawlId: number, place: string, kind: SessionKind): string =>
  `crawl_session ${String(crawlId)} ${kind} ${place}`;

/** What followed from another session, in one batch. */
export interface Renewed {
  /** Hosts that let the crawl in again, and whose workflows should look. */
  readonly hosts: readonly number[];
  /** The crawl had ended with URLs queued at these hosts, and runs again: its workflow must be told. */
  readonly reopened: boolean;
}
/** Told of each batch as soon as it is stored, before the next one. */
type Tell = (renewed: Renewed) => Promise<void>;

/**
 * Keeps the parts; what stood at their places before is replaced. The crawl goes on at the hosts that had logged it out
 * and that the parts reach. If a crash comes before it goes on at all of them, the same call once more lets it in.
 * @returns false: there would be parts at more than `mostPlaces` places, so nothing was kept
 */
export async function giveSession(
  pool: Pool,
  keys: SecretKeys,
  crawlId: number,
  parts: readonly SessionPart[],
  reaches: (place: string, origin: string) => boolean,
  tell: Tell,
  batch = hostsAtOnce,
): Promise<boolean> {
  const isKept = await inTransaction(pool, async (db) => {
    await lockCrawls(db, [crawlId]);
    const known = (await listSessions(db, crawlId)).map(({ place, kind }) => `${kind} ${place}`);
    const all = new Set([...known, ...parts.map(({ place, kind }) => `${kind} ${place}`)]);
    if (all.size > mostPlaces) return false;
    await storeParts(db, keys, crawlId, parts);
    return true;
  });
  const isMeant = (origin: string): boolean => parts.some(({ place }) => reaches(place, origin));
  return isKept && letInWhere(pool, crawlId, isMeant, tell, batch);
}

/** For a crawl that the caller has made in this transaction, or whose row it holds. */
export async function storeParts(
  db: Queryable,
  keys: SecretKeys,
  crawlId: number,
  parts: readonly SessionPart[],
): Promise<void> {
  for (const { place, kind, names, endsAt, value } of parts) {
    const { key_id: keyId, sealed } = keys.seal(JSON.stringify(value), boundTo(crawlId, place, kind));
    await putSession(db, { crawlId, place, kind, names, sealed, keyId, endsAt });
  }
  await raiseSessionRevision(db, crawlId);
}

/** The crawl goes on, with the session that it has, at all hosts that have logged it out. */
export const retrySession = (pool: Pool, crawlId: number, tell: Tell): Promise<true> =>
  letInWhere(pool, crawlId, () => true, tell, hostsAtOnce);

/** Host by host in the order of their ids, each batch in a transaction of its own. */
async function letInWhere(
  pool: Pool,
  crawlId: number,
  isMeant: (origin: string) => boolean,
  tell: Tell,
  batch: number,
): Promise<true> {
  for (let after = 0; ;) {
    const from = after;
    const { found, hosts, reopened } = await inTransaction(pool, async (db) => {
      await lockCrawls(db, [crawlId]);
      const out = await loggedOutHosts(db, crawlId, from, batch);
      const chosen = out.filter(({ origin }) => isMeant(origin)).map(({ id }) => id);
      const opened = await letIn(db, crawlId, chosen);
      // Before the crawl can end once more.
      if (chosen.length > 0) await renderLacking(db, crawlId);
      return { found: out, hosts: chosen, reopened: opened };
    });
    if (hosts.length > 0) await tell({ hosts, reopened });
    const last = found.at(-1);
    if (last === undefined || found.length < batch) break;
    after = last.id;
  }
  while (await inTransaction(pool, (db) => renderLacking(db, crawlId)));
  return true;
}

/**
 * Has pages rendered anew that were read without a file behind a login. In a crawl that does not go on nobody would fetch it:
 * they stay as they are. True: there may be more.
 */
async function renderLacking(db: Queryable, crawlId: number): Promise<boolean> {
  const [stands] = await crawlStands(db, crawlId);
  if (stands === undefined || stands.state === 'draining' || isOver(stands.state)) return false;
  const [row] = await renderAgain(db, crawlId, pagesAtOnce);
  return row?.pages === pagesAtOnce;
}

/** True: the crawl had ended, and runs again. */
async function letIn(db: Queryable, crawlId: number, hosts: readonly number[]): Promise<boolean> {
  if (hosts.length === 0) return false;
  await lockHosts(db, hosts);
  const [row] = await letBackIn(db, crawlId, hosts);
  await tellOfHost(db, [crawlId], 'host.back', hosts, null, false);
  const [stands] = await crawlStands(db, crawlId);
  const goesOn = (endingsThatGoOn as readonly unknown[]).includes(stands?.cause);
  const reopens = goesOn && (row?.waiting ?? 0) > 0;
  if (reopens) await reopenClosedCrawls(db, [crawlId]);
  return reopens;
}

/** The settings of a crawl, and whether it has, or has had, a session beside them (domain/scope.ts). */
export async function withSession<Config>(
  db: Queryable,
  crawlId: string,
  config: Config,
): Promise<Config & { readonly signedIn: boolean }> {
  const [crawl] = await loadCrawls(db, [Number(crawlId)]);
  return { ...config, signedIn: (crawl?.session_revision ?? 0) > 0 };
}

/** Takes back what the crawl has at a place. False: it has nothing there. */
export const takeSession = (pool: Pool, crawlId: number, place: string): Promise<boolean> =>
  inTransaction(pool, async (db) => {
    await lockCrawls(db, [crawlId]);
    if ((await removeSession(db, crawlId, place)).length === 0) return false;
    await raiseSessionRevision(db, crawlId);
    return true;
  });

/** The cookies that the answers of a host have set for a crawl that keeps them. @throws KeyMissing */
export async function keptCookies(
  db: Queryable,
  keys: SecretKeys,
  crawlId: number,
  origin: string,
): Promise<readonly Cookie[]> {
  const [row] = await findJar(db, crawlId, origin);
  return row === undefined ? [] : (JSON.parse(keys.open(row, boundTo(crawlId, origin, 'kept'))) as Cookie[]);
}

export async function keepCookies(
  db: Queryable,
  keys: SecretKeys,
  crawlId: number,
  origin: string,
  cookies: readonly Cookie[],
): Promise<void> {
  const { key_id: keyId, sealed } = keys.seal(JSON.stringify(cookies), boundTo(crawlId, origin, 'kept'));
  const names = cookies.map(({ name }) => name);
  await putSession(db, { crawlId, place: origin, kind: 'kept', names, sealed, keyId, endsAt: null });
}

/** All that its owner has given to a crawl. @throws KeyMissing */
export async function openSession(
  db: Queryable,
  keys: SecretKeys,
  crawlId: number,
): Promise<readonly SessionValue[]> {
  const rows = await listSessions(db, crawlId);
  return rows.map((row) => JSON.parse(keys.open(row, boundTo(crawlId, row.place, row.kind))) as SessionValue);
}

/**
 * Notes that a host has logged the crawl out, and tells it. False: it had been noted, or the crawl has been given another
 * session meanwhile.
 */
export const logOut = (
  pool: Pool,
  hostId: string,
  crawl: { readonly id: number; readonly sessionRevision: number; readonly version: number },
  why: string,
): Promise<boolean> =>
  inTransaction(pool, async (db) => {
    await lockCrawls(db, [crawl.id]);
    const { id, sessionRevision, version } = crawl;
    const marked = await markLoggedOut(db, hostId, id, why, sessionRevision, version);
    if (marked.length > 0)
      await tellOfHost(db, [crawl.id], 'host.parked', [hostId], `session-ended: ${why}`, true);
    return marked.length > 0;
  });
