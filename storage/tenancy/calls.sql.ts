/** The audit log of calls, and the answers kept for idempotency keys. */
import type { AuditEntry, AuditQuery } from '../../contracts/http/audit.ts';
import { statement, view } from '../postgres/index.ts';

/**
 * Written before the request is carried out; only `endAudit` may use `number`, which never leaves: it counts over all
 * tenants.
 */
export const beginAudit = statement<
  {
    tenantId: number;
    actor: string;
    role: string;
    method: string;
    route: string;
    target: string;
    requestId: string;
    security: boolean;
  },
  { number: number }
>('begin-audit')`
   insert into audit_log (tenant_id, actor, role, method, route, target, request_id, security)
   values ($tenantId, $actor, $role, $method, $route, $target, $requestId, $security) returning number`;

/**
 * Notes how a request that was begun was answered. A request that was refused is not about security: nobody pushes out
 * what was done with what was not.
 */
export const endAudit = statement<[number: number, status: number, detail: string | null]>('end-audit')`
   update audit_log set status = $2::smallint, detail = $3, security = security and $2::smallint < 400 where number = $1`;

/** Counts a request that was begun, and did nothing, in the entry of its actor, route and hour. */
export const countAudit = statement<[number: number, status: number, detail: string | null]>('count-audit')`
   with gone as (delete from audit_log where number = $1 returning *)
   insert into audit_log as a (tenant_id, at, actor, role, method, route, target, request_id, status, detail, hour, last_at)
   select tenant_id, at, actor, role, method, route, target, request_id, $2::smallint, $3::text, date_trunc('hour', at), at from gone
   on conflict (tenant_id, actor, route, hour) where hour is not null do update
     set times = a.times + 1, last_at = greatest(a.last_at, excluded.at)`;

/**
 * Newest first. `cursor`: only entries older than this number; `since`, `until`: only entries from the one to before
 * the other; null: any.
 */
export const listAudit = view<
  AuditQuery & { tenantId: number; limit: number },
  AuditEntry & { number: number }
>('list-audit')`
   select number, at, actor, role, method, route, target, request_id, status, detail, times, last_at
     from audit_log
    where tenant_id = $tenantId and ($cursor::bigint is null or number < $cursor)
      and ($actor::text is null or actor = $actor) and ($method::text is null or method = $method)
      and ($target::text is null or starts_with(target, $target))
      and ($since::timestamptz is null or at >= $since) and ($until::timestamptz is null or at < $until)
    order by number desc limit $limit`;

/** Entries of a kind beyond the newest: none of a kind pushes out another. Each condition has an index of its own. */
const surplusOf = (kind: string, kept: string): string =>
  `(select number from audit_log
      where tenant_id = $1 and ${kind}
        and number <= (select number from audit_log where tenant_id = $1 and ${kind}
                        order by number desc offset ${kept} limit 1)
      order by number limit $5)`;

/**
 * Forgets entries of a tenant beyond its newest, and entries of any tenant older than `days`: `limit` of each kind at
 * most, oldest first. Of work and of downloads `kept` stay, each for itself; about security stay `keptSecurity`. Answers
 * one row for each.
 */
export const dropOldAudit = statement<
  [tenantId: number, kept: number, keptSecurity: number, days: number, limit: number],
  { dropped: boolean }
>('drop-old-audit')`
   with surplus as (
     ${surplusOf("not security and method <> 'GET'", '$2')} union all
     ${surplusOf("not security and method = 'GET'", '$2')} union all
     ${surplusOf('security', '$3')}
   ), aged as (
     select number from audit_log where at < now() - make_interval(days => $4) order by at limit $5
   )
   delete from audit_log where number in (select number from surplus union all select number from aged)
   returning true as dropped`;

export interface KnownAnswer {
  /** This request is the first with the key, and must be carried out. */
  readonly is_first: boolean;
  readonly same_request: boolean;
  readonly status: number | null;
  readonly content_type: string | null;
  readonly location: string | null;
  readonly body: string | null;
}

/**
 * Reserves a key for the first request that comes with it; a later request learns what became of the first. Of two
 * requests at the same time one waits for the other's reservation, and gets no row: when it asks again, it sees the
 * reservation. Keys older than a day count as new.
 */
export const reserveIdempotencyKey = statement<
  [tenantId: number, caller: string, key: string, requestHash: Buffer],
  KnownAnswer
>('reserve-idempotency-key')`
   with reserved as (
     insert into idempotency_key as k (tenant_id, caller, key, request_hash) values ($1, $2, $3, $4)
     on conflict (tenant_id, caller, key) do update
       set request_hash = excluded.request_hash, created_at = now(), status = null, content_type = null, location = null,
           body = null
     where k.created_at < now() - interval '1 day'
     returning true as is_first
   )
   select true as is_first, true as same_request, null::smallint as status, null as content_type, null as location,
          null as body from reserved
   union all
   select false, request_hash = $4, status, content_type, location, body from idempotency_key
    where tenant_id = $1 and caller = $2 and key = $3 and not exists (select from reserved)`;

/**
 * Keeps the answer that later requests with the same key get. @param body null: the answer held a secret, or is too
 * long
 */
export const keepAnswer = statement<{
  tenantId: number;
  caller: string;
  key: string;
  status: number;
  contentType: string;
  location: string | null;
  body: string | null;
}>('keep-answer')`
   update idempotency_key set status = $status, content_type = $contentType, location = $location, body = $body
    where tenant_id = $tenantId and caller = $caller and key = $key`;

/** Frees a key whose request did nothing: the key may be used again. */
export const freeIdempotencyKey = statement<[tenantId: number, caller: string, key: string]>(
  'free-idempotency-key',
)`
   delete from idempotency_key where tenant_id = $1 and caller = $2 and key = $3 and status is null`;

/** Forgets answers older than a day, 1,000 at most. Answers one row for each. */
export const dropOldAnswers = statement<[], { dropped: boolean }>('drop-old-answers')`
   delete from idempotency_key where ctid = any (array(
     select ctid from idempotency_key where created_at < now() - interval '1 day' limit 1000))
   returning true as dropped`;
