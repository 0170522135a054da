/** The report of a foreign fetcher: which loan it is about, and what is stored of it. */
import type { StoredKind } from '../../domain/url-kind.ts';
import type { UrlReason } from '../../domain/url-reason.ts';
import { askAgainMs, wantsMs } from '../../domain/lending.ts';
import { isOnLoan } from '../hosts/index.ts';
import { statement } from '../postgres/index.ts';
import { takenColumns, type TakenLease } from '../leases/index.ts';

/**
 * Holds a lent host while the report on it is judged; no row: the lease has run out, or was returned. The request that
 * the loan had reserved is one of the row's `requests_lost`.
 */
export const claimLentHost = statement<[hostId: number, token: number, holdMs: number], TakenLease>(
  'claim-lent-host',
)`
   update host set lease_until = greatest(lease_until, now() + $3 * interval '1 millisecond')
    where id = $1 and lease_token = $2 and lease_until > now()
   returning ${takenColumns}`;

/** Locks a host until the transaction ends; no row: the lease under which it was lent is over. */
export const lockLentHost = statement<[hostId: number, token: number], { id: number }>('lock-lent-host')`
   select id from host where id = $1 and lease_token = $2 and lease_until > now() for update`;

/**
 * How long a foreign fetcher still has a host, or the host is kept for one, in milliseconds, and the host's last error; no
 * row: neither.
 */
export const lentHold = statement<[hostId: string], { left_ms: number; last_error: string | null }>(
  'lent-hold',
)`
   select (extract(epoch from held.until - now()) * 1000)::float8 as left_ms, h.last_error
     from host h
    cross join lateral (
      select greatest(h.lend_until, case when ${isOnLoan} then h.lease_until end) as until
    ) held
    where h.id = $1 and held.until > now()`;

export interface LentUrl {
  readonly host_id: number;
  readonly crawl_id: number;
  readonly key: string;
  readonly url: string;
  readonly token: number;
  readonly origin: string;
  /** Milliseconds since the URL was handed out. */
  readonly age_ms: number;
  /** From the URL's row: unchanged since the URL was handed out, unless somebody else has taken it over. */
  readonly kind: StoredKind;
  readonly seed: boolean;
  readonly depth: number;
  readonly priority: number;
  readonly hops: number;
  readonly tries: number;
  readonly reason: UrlReason | null;
}

/** The URLs that a batch of the tenant handed out; no row: there is no such batch. */
export const lentUrls = statement<[batchId: string, tenantId: number], LentUrl>('lent-urls')`
   select l.host_id, l.crawl_id, encode(l.key, 'hex') as key, l.url, l.token, h.origin,
          (extract(epoch from now() - l.lent_at) * 1000)::float8 as age_ms, u.kind, u.seed, u.depth, u.priority, u.hops, u.tries,
          u.reason
     from lent_batch b
     join lent_url l on l.batch_id = b.id
     join host h on h.id = l.host_id
     join url u on u.host_id = l.host_id and u.crawl_id = l.crawl_id and u.key = l.key
    where b.id = $1 and b.tenant_id = $2`;

/** One row if a result for the URL of this loan has been committed, else none. */
export const isLentUrlSettled = statement<[token: number, hostId: number]>('is-lent-url-settled')`
   select from lent_url where token = $1 and host_id = $2 and settled_at is not null`;

/** How long the fetchers' turn at a host has lasted. */
const turn = '(now() - coalesce(host.lend_began, settled.lent_at))';
const isSlow = `${turn} > $3 * interval '1 millisecond'`;

/**
 * Marks a loan as reported. The caller must commit the URL's result in the same transaction, and have returned the
 * lease. If this was not the last request of the fetchers' turn, the host is kept for the next one. A turn that has
 * taken longer than `slowMs` is over, and the workers then have the host for as long. A loan that took longer than
 * `slowMs` and came to no request (`tried`) is wasted.
 */
export const settleLentUrl = statement<[token: number, hostId: number, slowMs: number, tried: boolean]>(
  'settle-lent-url',
)`
   with settled as (
     update lent_url set settled_at = now(),
                         wasted = not $4 and lent_at < now() - $3 * interval '1 millisecond'
      where token = $1 and host_id = $2
     returning lent_at
   )
   update host
      set lent = lent or ${isSlow}, lend_turns = case when ${isSlow} then 0 else lend_turns end,
          lend_wanted_until = now() + interval '${wantsMs} milliseconds',
          lend_until = case when not (lent or ${isSlow})
                            then greatest(not_before, now()) + interval '${askAgainMs} milliseconds' end,
          ours_until = case when ${isSlow} then now() + ${turn} else ours_until end
     from settled where id = $2`;

/**
 * The first page with this hash that a foreign fetcher has reported to a crawl: the given one, if none was before it.
 * (An update that changes nothing has the row returned.)
 */
export const claimLentContent = statement<
  [crawlId: number, hash: string, hostId: number, key: string],
  { host_id: number; key: string }
>('claim-lent-content')`
   insert into lent_content (crawl_id, hash, host_id, key)
   values ($1, decode($2, 'hex'), $3, decode($4, 'hex'))
   on conflict (crawl_id, hash) do update set hash = excluded.hash
   returning host_id, encode(key, 'hex') as key`;

export interface ParentRow {
  readonly key: string;
  readonly crawl_id: number;
  readonly host_id: number;
  readonly depth: number;
  readonly priority: number;
  /** When the URL was last handed out to a fetcher of the tenant; null: never, or so long ago that it was forgotten. */
  readonly lent_at: Date | null;
}

/**
 * Rows of these URLs in the open crawls of a tenant: in all of them if `crawlId` is null, else only in that one.
 * `rows`: [{host, key}], the host as its origin, the key in hex.
 */
export const findParents = statement<[tenantId: number, crawlId: string | null, rows: string], ParentRow>(
  'find-parents',
)`
   select encode(u.key, 'hex') as key, u.crawl_id, u.host_id, u.depth, u.priority,
          (select max(l.lent_at) from lent_url l
            where l.host_id = u.host_id and l.crawl_id = u.crawl_id and l.key = u.key) as lent_at
     from json_to_recordset($3) as r(host text, key text)
     join host h on h.origin = r.host
     join crawl c on c.tenant_id = $1 and c.state not in ('finished', 'cancelled', 'failed')
                 and ($2::bigint is null or c.id = $2)
    cross join lateral (
      select * from url where host_id = h.id and crawl_id = c.id and key = decode(r.key, 'hex') offset 0) u`;

/** Crawls that lack at least one of `rows`, [{host_id, crawl_id, key}] with keys in hex, in their frontier. */
export const unstoredUrls = statement<[rows: string], { crawl_id: number }>('unstored-urls')`
   select distinct r.crawl_id from json_to_recordset($1) as r(host_id bigint, crawl_id bigint, key text)
    where not exists (select from url u where u.host_id = r.host_id and u.crawl_id = r.crawl_id
                                          and u.key = decode(r.key, 'hex'))`;
