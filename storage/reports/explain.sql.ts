/** Statements that `explain` reads. */
import type { HostFacts, RenderingTold } from '../../domain/explain/facts.ts';
import type { StoredStage } from '../../domain/stage.ts';
import type { StoredKind } from '../../domain/url-kind.ts';
import type { AttemptReason, FailedReason, UrlReason } from '../../domain/url-reason.ts';
import type { UrlState } from '../../contracts/crawl.ts';
import { type Cut, linkCuts } from '../../domain/limits.ts';
import type { ListedPage } from '../../contracts/page-fields.ts';
import { nearDuplicateOf, readingOf, revisitOf, standsForItsBody } from '../pages/index.ts';
import { mayKnow } from '../may-know.ts';
import { statement } from '../postgres/index.ts';
import type { HostSettings } from '../../contracts/hosts.ts';
import { defaultTenant } from '../../contracts/tenancy.ts';
import { isOnLoan, turnInMs, hostSettings, slowdownNow } from '../hosts/index.ts';

export interface UrlCircumstances {
  readonly url: string;
  readonly state: UrlState;
  readonly kind: StoredKind;
  readonly stage: StoredStage;
  readonly seed: boolean;
  readonly depth: number;
  readonly hops: number;
  readonly priority: number;
  /** Milliseconds until the URL is due; at most 0: it is due now. */
  readonly due_in_ms: number;
  readonly discovered_at: Date;
  readonly reclaims: number;
  readonly fetches: number;
  readonly bytes: number;
  readonly fetched_at: Date | null;
  readonly status: number | null;
  readonly reason: UrlReason | null;
  readonly detail: string | null;
  readonly content_hash: string | null;
  readonly content_type: string | null;
  readonly redirect_to: string | null;
  readonly truncated: string | null;
  /** The URL is leased under the lease that is held now. */
  readonly lease_held: boolean;
  readonly parent_url: string | null;
  readonly parent_status: number | null;
  readonly parent_redirect_to: string | null;
  readonly parent_priority: number | null;
  /** The URL was found on a page of its own host; null: on no page. */
  readonly parent_is_host: boolean | null;
  /** Sketches of who links to the URL (domain/priority/link-sketch.ts); null: it has no new score for its links. */
  readonly linking_hosts: string | null;
  readonly linking_pages: string | null;
  /** What the links to the URL promise of the crawl's focus, and what the page turned out to be; null: not known. */
  readonly promised: number | null;
  readonly relevance: number | null;
  /** The last change that a sitemap names; null: none, or the crawl's scores do not depend on it. */
  readonly lastmod: Date | null;
  readonly alias_url: string | null;
  /** True: the page has the same body as its alias; false: only the same text. */
  readonly alias_same_body: boolean;
  readonly near_duplicate_of: ListedPage['nearDuplicateOf'];
  readonly revisit_of: ListedPage['revisitOf'];
  readonly rendering: RenderingTold | null;
  /** Null: the page has not been read. */
  readonly words: number | null;
  readonly links: number | null;
  readonly canonical: string | null;
  readonly noindex: boolean | null;
  readonly nofollow: boolean | null;
  /** What limits left out of the page. */
  readonly cut: Cut | null;
  readonly dead_class: FailedReason | null;
  readonly dead_status: number | null;
  readonly dead_message: string | null;
  readonly dead_attempts: number | null;
  readonly dead_at: Date | null;
}

const look = (name: 'screenshot' | 'pdf'): string =>
  `case when g.${name}_bytes is not null
                                          then jsonb_build_object('bytes', g.${name}_bytes, 'isKept', g.${name}_hash is not null) end`;

/** @param key hex. */
export const explainUrl = statement<[hostId: string, crawlId: string, key: string], UrlCircumstances>(
  'explain-url',
)`
   select u.url, u.state, u.kind, u.stage, u.seed, u.depth, u.hops, u.priority,
          (extract(epoch from u.due_at - now()) * 1000)::float8 as due_in_ms, u.discovered_at, u.reclaims, u.fetches,
          u.bytes, u.fetched_at, u.status, u.reason, u.detail, encode(u.content_hash, 'hex') as content_hash,
          u.content_type, u.redirect_to, u.truncated,
          coalesce(u.lease_token = h.lease_token and h.lease_until > now(), false) as lease_held,
          parent.url as parent_url, parent.status as parent_status, parent.redirect_to as parent_redirect_to,
          parent.priority as parent_priority, u.parent_host = u.host_id as parent_is_host,
          k.hosts::text as linking_hosts, k.pages::text as linking_pages,
          k.relevance as promised, p.relevance, k.lastmod,
          alias.url as alias_url, coalesce(alias.content_hash = u.content_hash, alias.reported_hash = u.reported_hash, false) as alias_same_body,
          near.of as near_duplicate_of, revisit.of as revisit_of, p.words, p.links, p.canonical, p.noindex, p.nofollow,
          (select jsonb_build_object('reason', g.reason, 'outcome', g.outcome, 'rounds', g.rounds, 'words', g.words_before,
                                     'links', g.links_before, 'resources', g.resources, 'refused', g.refused,
                                     'navigation', g.navigation, 'console', g.console,
                                     'screenshot', ${look('screenshot')}, 'pdf', ${look('pdf')})
             from rendering g
            where g.host_id = u.host_id and g.crawl_id = u.crawl_id and g.key = u.key
              and g.answer_hash = coalesce(u.answer_hash, u.content_hash)) as rendering,
          case when p.is_reextracted then p.cut else u.cut end as cut,
          d.class as dead_class, d.status as dead_status, d.message as dead_message, d.attempts as dead_attempts,
          d.created_at as dead_at
     from url u
     join host h on h.id = u.host_id
     left join url parent
       on parent.host_id = u.parent_host and parent.crawl_id = u.crawl_id and parent.key = u.parent_key
     left join url alias on alias.host_id = u.alias_host and alias.crawl_id = u.crawl_id and alias.key = u.alias_key
     left join ${readingOf('u')} and ${standsForItsBody}
     left join link_count k on k.host_id = u.host_id and k.crawl_id = u.crawl_id and k.key = u.key
     left join dead_letter d on d.host_id = u.host_id and d.crawl_id = u.crawl_id and d.key = u.key
     left join lateral (
       ${nearDuplicateOf('u')}
     ) near on true
     left join lateral (
       ${revisitOf('u')}
     ) revisit on true
    where u.host_id = $1 and u.crawl_id = $2 and u.key = decode($3, 'hex')`;

/** A host, as far as its rows have the facts of `explain`. */
export interface HostCircumstances extends Pick<
  HostFacts,
  | ('failures' | 'lastError' | 'trouble' | 'eased' | 'slowdown' | 'waitMs' | 'paceMs')
  | ('leaseMs' | 'lentMs' | 'keptMs' | 'guest' | 'fed' | 'robotsKeptMs' | 'urls' | 'forgotten')
> {
  readonly id: string;
  /** A crawl of the same tenant has URLs here. */
  readonly met: boolean;
  /**
   * A request of such a crawl was let go to the host, or its tenant is the only one whose crawls may name private
   * addresses: it may be told what others have learned here.
   */
  readonly reached: boolean;
  readonly paused_at: Date | null;
  readonly parked_at: Date | null;
  readonly failing_since: Date | null;
  readonly settings: HostSettings;
  /** Requests a day by its quality, and whether the host is left for later; null: as many as any host. */
  readonly budget: number | null;
  readonly later: boolean;
  readonly requests_day: string | null;
  readonly requests_used: number;
  readonly took_ms: number | null;
  /** The database's clock, in milliseconds since 1970. */
  readonly now_ms: number;
  /** Null: robots.txt was not read yet. */
  readonly robots_status: number | null;
  readonly robots_body: string | null;
  readonly robots_fetched_at: Date | null;
  readonly robots_age_ms: number | null;
  /** Milliseconds until the crawl's turn, and whether it waits because of a foreign fetcher's report. */
  readonly turn_ms: number;
  readonly turn_held: boolean;
  /** Since when, and by what evidence, the site has logged the crawl out; null: it has not. */
  readonly loggedOut: { readonly since: string; readonly why: string } | null;
  /** Running crawls with work here: the URLs queued, the delay in seconds that each asks for, and its user agent. */
  readonly crawls: readonly {
    readonly id: number;
    readonly queued: number;
    readonly delay: number | null;
    readonly agent: string | null;
    /** The delay is at least so many times as long as the last answer took. */
    readonly factor: number | null;
    /** The crawl may go below the default delay. */
    readonly mayHurry: boolean;
    /** The crawl belongs to the same tenant. */
    readonly ours: boolean;
  }[];
}

export const explainHost = statement<[origin: string, crawlId: string], HostCircumstances>('explain-host')`
   select h.id::text,
          own.met, own.reached,
          h.paused_at, h.parked_at, ${slowdownNow('h.')} as slowdown, h.failures, h.failing_since, h.last_error as "lastError", h.trouble, h.eased, h.fed,
          ${hostSettings('h.')}, h.budget,
          coalesce((select later and pinned is null from host_quality where host_id = h.id), false) as later, h.requests_day, h.requests_used, h.took_ms,
          (extract(epoch from now()) * 1000)::float8 as now_ms,
          case when h.not_before = '-infinity' then 0
               else extract(epoch from h.not_before - now()) * 1000 end::float8 as "waitMs",
          case when h.paced_until = '-infinity' then 0
               else extract(epoch from h.paced_until - now()) * 1000 end::float8 as "paceMs",
          case when h.lease_token is not null
               then (extract(epoch from h.lease_until - now()) * 1000)::float8 end as "leaseMs",
          case when ${isOnLoan} then (extract(epoch from h.lease_until - now()) * 1000)::float8 end as "lentMs",
          case when h.lend_until > now() then (extract(epoch from h.lend_until - now()) * 1000)::float8 end as "keptMs",
          coalesce(h.guest_until > now(), false) as guest,
          r.status as robots_status, r.body as robots_body, r.fetched_at as robots_fetched_at,
          (extract(epoch from now() - r.fetched_at) * 1000)::float8 as robots_age_ms, r.kept_ms as "robotsKeptMs",
          coalesce((select q.total from host_queue q where q.host_id = h.id and q.crawl_id = $2), 0) as urls,
          coalesce((select f.urls from forgotten f where f.host_id = h.id and f.crawl_id = $2), 0) as forgotten,
          coalesce((select ${turnInMs} from host_queue q join crawl c on c.id = q.crawl_id
                     where q.host_id = h.id and q.crawl_id = $2), 0) as turn_ms,
          coalesce((select q.held_until > now() from host_queue q where q.host_id = h.id and q.crawl_id = $2), false) as turn_held,
          (select json_build_object('since', q.logged_out_at, 'why', q.logged_out) from host_queue q
            where q.host_id = h.id and q.crawl_id = $2 and q.logged_out_at is not null) as "loggedOut",
          (select coalesce(json_agg(json_build_object('id', c.id, 'queued', q.queued, 'delay', c.config -> 'delaySeconds', 'factor', c.config -> 'delayFactor',
                                                      'agent', c.config -> 'userAgent', 'mayHurry', c.tenant_id = ${defaultTenant},
                                                      'ours', c.tenant_id = (select tenant_id from crawl where id = $2))),
                           '[]')
             from host_queue q join crawl c on c.id = q.crawl_id
            where q.host_id = h.id and q.queued + q.leased > 0 and c.state = 'running') as crawls
     from host h left join robots r on r.host_id = h.id
    cross join lateral (
      select count(*) > 0 as met, coalesce(bool_or(${mayKnow('c')}), false) as reached
        from host_queue q join crawl c on c.id = q.crawl_id
       where q.host_id = h.id and c.tenant_id = (select tenant_id from crawl where id = $2)) own
    where h.origin = $1`;

/**
 * Queued URLs of a crawl at a host that go before the URL with this priority and key (hex); that URL need not exist.
 * URLs that are due later than `dueMs` from now do not count. Counted up to `most`.
 */
export const countAhead = statement<
  {
    hostId: string;
    crawlId: string;
    key: string;
    priority: number;
    dueMs: number;
    most: number;
  },
  { ahead: number }
>('count-ahead')`
   select count(*)::int as ahead from (
     select from url
      where host_id = $hostId and crawl_id = $crawlId and state = 'queued'
        and (priority > $priority::real or (priority = $priority::real and key < decode($key, 'hex')))
        and due_at <= now() + greatest($dueMs::float8, 0) * interval '1 millisecond'
      limit $most) first`;

export interface AttemptRow {
  readonly at: Date;
  readonly class: AttemptReason;
  readonly status: number | null;
  readonly message: string;
}

/** Requests for a URL that ended without a final outcome, oldest first. @param key hex. */
export const listAttempts = statement<[hostId: string, crawlId: string, key: string], AttemptRow>(
  'list-attempts',
)`
   select at, class, status, message from attempt
    where host_id = $1 and crawl_id = $2 and key = decode($3, 'hex') order by at`;

export interface ShortenedRow {
  readonly url: string;
  readonly cut: Cut;
  /** The number of all such URLs, counted up to a limit. */
  readonly total: number;
}

/** The condition of the index `url_lost_links`. */
const lostLinks = `cut ?| array[${linkCuts.map((kind) => `'${kind}'`).join(', ')}]`;

/**
 * Some pages and sitemaps of a crawl from which links were left out; those at the host given (null: none) come first.
 */
export const listShortened = statement<
  [crawlId: string, hostId: string | null, limit: number, counted: number],
  ShortenedRow
>('list-shortened')`
   select url, cut, (select count(*) from (select from url where crawl_id = $1 and ${lostLinks} limit $4) counted) as total
     from ((select url, cut, 0 as place from url where crawl_id = $1 and host_id = $2 and ${lostLinks} limit $3)
           union all
           (select url, cut, 1 from url where crawl_id = $1 and host_id is distinct from $2::bigint and ${lostLinks} limit $3)) found
    order by place, url limit $3`;
