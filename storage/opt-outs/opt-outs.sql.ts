/** The list of opted-out domains, and the hosts and URLs under them. */
import { onceHeld } from '../frontier/index.ts';
import type { OptOutView } from '../../contracts/opt-out.ts';
import { statement, view } from '../postgres/index.ts';

/** Entries after a domain, in the order of bytes; null: from the first. */
export const listOptOuts = view<[after: string | null, limit: number], OptOutView>('list-opt-outs')`
   select domain, reason, created_at from opt_out where $1::text is null or domain > $1 order by domain limit $2`;

/** Puts a domain on the list. An entry that is there already keeps its reason and date. */
export const addOptOut = view<[domain: string, reason: string | null], OptOutView & { added: boolean }>(
  'add-opt-out',
)`
   with entry as (
     insert into opt_out (domain, reason) values ($1, $2)
     on conflict (domain) do update set domain = excluded.domain
     returning domain, reason, created_at, xmax = 0 as added
   ), raised as (
     update opt_out_revision set revision = revision + 1
   )
   select * from entry`;

/** Takes a domain off the list; no row: the domain was not on the list. */
export const removeOptOut = statement<[domain: string], { domain: string }>('remove-opt-out')`
   with gone as (
     delete from opt_out where domain = $1 returning domain
   ), raised as (
     update opt_out_revision set revision = revision + 1 where exists (select from gone)
   )
   select domain from gone`;

/**
 * The whole list with its revision, in one snapshot. `domains` null: the list has the revision that the caller knows.
 */
export const loadOptOuts = statement<
  [knownRevision: number],
  { revision: number; domains: readonly string[] | null }
>('load-opt-outs')`
   select revision, case when revision <> $1 then array(select domain from opt_out) end as domains
     from opt_out_revision`;

/** How many URLs of the hosts are excluded because of an entry of the opt-out list, whoever excluded them. */
export const countOptedOut = statement<[hostIds: readonly string[], detail: string], { urls: number }>(
  'count-opted-out',
)`
   select count(*)::int as urls from url
    where host_id = any ($1) and state = 'excluded' and reason = 'opt-out' and detail = $2`;

export interface HostOfDomain {
  readonly id: string;
  readonly origin: string;
}

/** Known hosts whose names are a domain or below it, as a query. '/' is the character after '.'. */
const hostsBelow = `select id, origin from host
      where (reversed_host_name(origin) collate "C" = reverse($1)
             or (reversed_host_name(origin) collate "C" > reverse($1) || '.'
                 and reversed_host_name(origin) collate "C" < reverse($1) || '/'))`;

/** What an opt-out of a domain would reach: known hosts, and the URLs that are queued there. */
export const reachOfOptOut = statement<[domain: string], { hosts: number; urls: number }>('reach-of-opt-out')`
   with met as materialized (
     ${hostsBelow}
   )
   select (select count(*) from met)::int as hosts,
          (select coalesce(sum(q.queued), 0) from met h join host_queue q on q.host_id = h.id)::int as urls`;

/**
 * Hosts at a domain or below it, at any port, that have URLs queued, or URLs that an opt-out excluded.
 */
export const hostsOfDomain = statement<[domain: string], HostOfDomain>('hosts-of-domain')`
   with met as materialized (
     ${hostsBelow}
   )
   select id::text, origin from met h
    where exists (select from host_queue q where q.host_id = h.id and q.has_queued)
       or exists (select from url u where u.host_id = h.id and u.state = 'excluded' and u.reason = 'opt-out')
    order by h.id`;

/** Excludes up to `limit` URLs queued at hosts that have opted out, of all crawls; `hosts`: [{id, detail}]. */
export const excludeHostsOptedOut = statement<[hosts: string, limit: number], { crawl_id: number }>(
  'exclude-hosts-opted-out',
)`
   with out as materialized (
     select id, detail from json_to_recordset($1) as r(id bigint, detail text)
   ), held as materialized (
     select host_id, crawl_id from host_queue
      where host_id in (select id from out) and has_queued order by host_id, crawl_id for update
   ), chosen as materialized (
     select u.host_id, u.crawl_id, u.key from held q
      cross join lateral (select host_id, crawl_id, key from url u
                           where u.host_id = q.host_id and u.crawl_id = q.crawl_id and u.state = 'queued'
                           limit $2) u
      limit $2
   )
   update url u set state = 'excluded', reason = 'opt-out', detail = out.detail
     from chosen c join out on out.id = c.host_id
    where u.host_id = c.host_id and u.crawl_id = c.crawl_id and u.key = c.key and u.state = 'queued'
   returning u.crawl_id`;

/**
 * Queues again up to `limit` URLs of each crawl that an opt-out excluded at a host; answers one row for each. Only open
 * crawls that are not ending get URLs back; their rows are locked, so that no crawl is settled at the same moment. A
 * link that was found while its host was opted out counted against no limit, so the crawl's limit for the host is
 * checked here.
 */
export const requeueOptedOut = statement<[hostId: string, limit: number], { crawl_id: number }>(
  'requeue-opted-out',
)`
   with open as materialized (
     select c.id, (c.config ->> 'maxPagesPerHost')::bigint as host_limit
       from crawl c
      where c.state in ('seeding', 'running', 'paused')
        and exists (select from url u where u.host_id = $1 and u.crawl_id = c.id
                                        and u.state = 'excluded' and u.reason = 'opt-out')
      order by c.id for no key update of c
   ), held as materialized (
     select from host_queue where host_id = $1 and crawl_id in (select id from open) order by crawl_id for update
   ), room as (
     select o.id, o.host_limit - q.total + (
              select count(*) from url u where u.host_id = $1 and u.crawl_id = o.id
                                           and u.state = 'excluded' and u.reason = 'opt-out') as urls
       from open o join host_queue q on q.host_id = $1 and q.crawl_id = o.id
   ), chosen as materialized (
     select u.crawl_id, u.key from room r
      cross join lateral (
        select crawl_id, key from url
         where host_id = $1 and crawl_id = r.id and state = 'excluded' and reason = 'opt-out'
         order by priority desc, key limit greatest(0, least($2, r.urls))
      ) u
   )
   update url u set state = 'queued', reason = null, detail = null, due_at = now()
     from chosen c
    where u.host_id = $1 and u.crawl_id = c.crawl_id and u.key = c.key
      and u.state = 'excluded' and u.reason = 'opt-out' and ${onceHeld}
   returning u.crawl_id`;
