/** Sessions of crawls, sealed, and the hosts that have logged a crawl out. */
import { statement } from '../postgres/index.ts';
import type { Sealed } from './secret-keys.ts';

/** `kept`: cookies that answers have set; `proxy`: by which all its requests go. */
export type SessionKind = 'cookies' | 'headers' | 'proxy' | 'kept';

export interface SessionRow extends Sealed {
  readonly place: string;
  readonly kind: Exclude<SessionKind, 'kept'>;
  readonly names: readonly string[];
  readonly ends_at: Date | null;
  readonly created_at: Date;
}

/** What its owner has given to a crawl. */
export const listSessions = statement<[crawlId: number | string], SessionRow>('list-sessions')`
   select place, kind, names, sealed, key_id, ends_at, created_at from crawl_session
    where crawl_id = $1 and kind <> 'kept' order by place, kind`;

export const findJar = statement<[crawlId: number, place: string], Sealed>('find-jar')`
   select sealed, key_id from crawl_session where crawl_id = $1 and place = $2 and kind = 'kept'`;

/** What has the same place and kind is replaced. @param sealed in hex @param endsAt milliseconds since 1970 */
export const putSession = statement<{
  crawlId: number;
  place: string;
  kind: SessionKind;
  names: readonly string[];
  sealed: Buffer;
  keyId: string;
  endsAt: number | null;
}>('put-session')`
   insert into crawl_session (crawl_id, place, kind, names, sealed, key_id, ends_at)
   values ($crawlId, $place, $kind, $names, $sealed, $keyId, to_timestamp($endsAt::float8 / 1000))
   on conflict (crawl_id, place, kind) do update
     set names = excluded.names, sealed = excluded.sealed, key_id = excluded.key_id, ends_at = excluded.ends_at,
         created_at = now()`;

export const removeSession = statement<[crawlId: number, place: string], { kind: SessionKind }>(
  'remove-session',
)`
   delete from crawl_session where crawl_id = $1 and place = $2 and kind <> 'kept' returning kind`;

/** The caller must hold the row of the crawl. */
export const raiseSessionRevision = statement<[crawlId: number]>('raise-session-revision')`
   update crawl set session_revision = session_revision + 1 where id = $1`;

/**
 * Takes the turns at the host from the crawl until it is given another session. No row: it has none there already, or
 * has been given another session since the request was made. The caller must hold the row of the crawl.
 * @param revision of the session that went along @param version of the settings, whose headers may be a session too
 */
export const markLoggedOut = statement<
  [hostId: string, crawlId: number, why: string, revision: number, version: number],
  { crawl_id: number }
>('mark-logged-out')`
   update host_queue q set logged_out_at = now(), logged_out = $3, session_sign = null
     from crawl c
    where q.host_id = $1 and q.crawl_id = $2 and c.id = q.crawl_id and c.session_revision = $4 and c.config_version = $5
      and q.logged_out_at is null
   returning q.crawl_id`;

export interface LoggedOutHost {
  readonly id: number;
  readonly origin: string;
  readonly since: Date;
  readonly why: string;
  readonly queued: number;
}

/** Hosts that have logged the crawl out, by their ids, behind this one. */
export const loggedOutHosts = statement<
  [crawlId: number | string, after: number, limit: number],
  LoggedOutHost
>('logged-out-hosts')`
   select h.id, h.origin, q.logged_out_at as since, coalesce(q.logged_out, '') as why, q.queued
     from host_queue q join host h on h.id = q.host_id
    where q.crawl_id = $1 and q.logged_out_at is not null and h.id > $2 order by h.id limit $3`;

export const countLoggedOut = statement<[crawlId: number | string], { hosts: number }>('count-logged-out')`
   select count(*) as hosts from host_queue where crawl_id = $1 and logged_out_at is not null`;

/** Nobody takes these hosts or gives them back before the transaction ends. */
export const lockHosts = statement<[hostIds: readonly number[]], { id: number }>('lock-hosts')`
   select id from host where id = any ($1) order by id for no key update`;

/**
 * Gives the crawl its turns back at these hosts. Where a workflow has the host it has the turn; elsewhere the turn is now.
 * URLs that were asked for without a session that holds are as new. Answers how many hosts have URLs queued. The caller
 * must hold the rows of the crawl and of the hosts.
 */
export const letBackIn = statement<[crawlId: number, hostIds: readonly number[]], { waiting: number }>(
  'let-back-in',
)`
   with held as materialized (
     select q.host_id, q.has_queued, h.fed or h.parked_at is not null as in_hand
       from host_queue q join host h on h.id = q.host_id
      where q.crawl_id = $1 and q.host_id = any ($2) order by q.host_id for update of q
   ), back as (
     update host_queue q
        set logged_out_at = null, logged_out = null, session_sign = null,
            turn_at = case when held.in_hand then q.turn_at else now() end
       from held where q.crawl_id = $1 and q.host_id = held.host_id
   ), anew as (
     update url u set due_at = least(u.due_at, now()), reason = null, tries = 0
       from held
      where u.host_id = held.host_id and u.crawl_id = $1 and u.state = 'queued' and u.reason = 'session-ended'
   )
   select count(*) filter (where has_queued) as waiting from held`;

/** The origin of the page, or of the style sheet, in which a URL was first found. No row: it is not known. */
export const foundAt = statement<[hostId: string, crawlId: number, key: string], { origin: string }>(
  'found-at',
)`
   select p.origin from url u join host p on p.id = u.parent_host
    where u.host_id = $1 and u.crawl_id = $2 and u.key = decode($3, 'hex')`;
