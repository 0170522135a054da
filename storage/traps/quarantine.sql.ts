/** Verdicts on shapes of URLs. */
import type { CrawlStands } from '../../domain/crawl-life.ts';
import type { ErrorSign } from '../../domain/soft-404/judge.ts';
import type { Evidence, TrapRule } from '../../domain/traps/rules.ts';
import { hostsBelow } from '../../domain/traps/shape.ts';
import type { Verdict } from '../../domain/traps/verdict.ts';
import { onceHeld } from '../frontier/index.ts';
import { statement } from '../postgres/index.ts';

/** The host `h` lies below a domain; by the index of names spelt backwards. */
const belowDomain = (domain: string): string =>
  `reversed_host_name(h.origin) collate "C" >= reverse(${domain}) || '.' and reversed_host_name(h.origin) collate "C" < reverse(${domain}) || '/'`;

/** What the rules have found, as JSON. */
export interface FoundRow {
  readonly crawl_id: number;
  readonly host_id: number;
  readonly shape: string;
  readonly rule: TrapRule | null;
  readonly evidence: Evidence;
  readonly verdict: Extract<Verdict, 'suspected' | 'cleared' | 'held'>;
}

/**
 * Notes what the rules have found. A shape that is held, confirmed or released stays as it is. The first samples are let
 * through after so many seconds. `rows`: `FoundRow`s.
 */
export const noteFound = statement<[rows: string, sampleSeconds: number], { id: string }>('note-found')`
   with r as materialized (
     select * from json_to_recordset($1) as r(crawl_id bigint, host_id bigint, shape text, rule text, evidence jsonb, verdict text)
   ), locked as materialized (
     select id from crawl where id in (select crawl_id from r) and removed_at is null order by id for no key update
   ), raised as (
     update crawl set quarantine_revision = quarantine_revision + 1
      where id in (select id from locked) returning id, quarantine_revision
   )
   insert into quarantine as q (crawl_id, host_id, shape, rule, evidence, verdict, revision, sample_at)
   select r.crawl_id, r.host_id, r.shape, coalesce(r.rule, ''), r.evidence, r.verdict, c.quarantine_revision,
          case when r.verdict = 'held' then now() + $2 * interval '1 second' end
     from r join raised c on c.id = r.crawl_id order by r.crawl_id, r.host_id, r.shape
   on conflict (crawl_id, host_id, shape) do update
     set verdict = excluded.verdict, revision = excluded.revision, sample_at = excluded.sample_at,
         rule = coalesce(nullif(excluded.rule, ''), q.rule),
         evidence = case when excluded.rule = '' then q.evidence else excluded.evidence end
    where q.verdict in ('suspected', 'cleared')
   returning q.id::text`;

/** Counts pages of shapes in quarantine that were read after samples were let through. */
export const noteSamples = statement<
  [rows: string],
  { id: string; crawl_id: number; verdict: Verdict; sampled: number; novel: number }
>('note-samples')`
   update quarantine q set sampled = q.sampled + r.pages, novel = q.novel + r.novel
     from json_to_recordset($1) as r(crawl_id bigint, host_id bigint, shape text, pages int, novel int)
    where q.crawl_id = r.crawl_id and q.host_id = r.host_id and q.shape = r.shape and q.let_through > 0
   returning q.id::text, q.crawl_id, q.verdict, q.sampled, q.novel`;

interface VerdictRow {
  readonly id: string;
  readonly origin: string;
  readonly shape: string;
  readonly verdict: Verdict;
  readonly sign: ErrorSign | null;
}

/** Verdicts of a crawl that changed after a revision. */
export const verdictsAfter = statement<[crawlId: number, revision: number], VerdictRow>('verdicts-after')`
   select q.id::text, h.origin, q.shape, q.verdict, q.sign
     from quarantine q join host h on h.id = q.host_id
    where q.crawl_id = $1 and q.revision > $2 order by q.revision`;

export interface QuarantineRow {
  readonly id: string;
  readonly host_id: number;
  readonly origin: string;
  readonly shape: string;
  readonly rule: TrapRule;
  readonly evidence: Evidence;
  readonly verdict: Verdict;
  readonly created_at: Date;
  readonly judged_by: string | null;
  readonly judged_at: Date | null;
  readonly let_through: number;
  readonly sampled: number;
  readonly novel: number;
  /** URLs that it keeps back, counted up to a limit. */
  readonly urls: number;
}

/**
 * Verdicts of a crawl after an id, with the URLs that each keeps back, counted up to `counted`. A filter that is null or
 * absent does not count.
 */
export const listQuarantine = statement<
  {
    crawlId: string;
    after?: string;
    ids?: readonly string[] | null;
    verdicts: readonly Verdict[];
    origins?: readonly string[] | null;
    limit: number;
    counted: number;
  },
  QuarantineRow
>('list-quarantine')`
   select q.id::text, q.host_id, h.origin, q.shape, q.rule, q.evidence, q.verdict, q.created_at, q.judged_by, q.judged_at,
          q.let_through, q.sampled, q.novel,
          (select count(*) from (
             (select 1 from url u
               where u.host_id = q.host_id and u.crawl_id = q.crawl_id and u.state = 'excluded'
                 and u.reason in ('trap', 'soft-404') and u.detail = q.id::text || ': ' || q.shape limit $counted)
             union all
             (select 1 from host h cross join url u
               where q.shape like '${hostsBelow('%')}' and ${belowDomain(`substr(q.shape, ${String(hostsBelow('').length + 1)})`)}
                 and u.host_id = h.id and u.crawl_id = q.crawl_id and u.state = 'excluded'
                 and u.reason = 'trap' and u.detail = q.id::text || ': ' || q.shape limit $counted)) kept)::int as urls
     from quarantine q join host h on h.id = q.host_id
    where q.crawl_id = $crawlId and q.id > coalesce($after, 0) and ($ids::bigint[] is null or q.id = any ($ids)) and q.verdict = any ($verdicts)
      and ($origins::text[] is null or h.origin = any ($origins))
    order by q.id limit $limit`;

/**
 * Gives shapes of a crawl a verdict; answers those that had another one. A release is settled when no URL is kept back
 * any more. `by` null: the rules.
 */
export const giveVerdict = statement<
  [crawlId: string, ids: readonly string[], verdict: Verdict, by: string | null],
  { id: string }
>('give-verdict')`
   with raised as (
     update crawl set quarantine_revision = quarantine_revision + 1 where id = $1 returning quarantine_revision
   )
   update quarantine q set verdict = $3, revision = c.quarantine_revision, judged_by = $4, judged_at = now(), settled_at = null
     from raised c
    where q.crawl_id = $1 and q.id = any ($2::bigint[]) and q.verdict <> $3
   returning q.id::text`;

/** Puts a shape into quarantine at an operator's word. A verdict that is there already gives way. */
export const holdShape = statement<
  [crawlId: string, hostId: string, shape: string, by: string, sampleSeconds: number],
  { id: string }
>('hold-shape')`
   with raised as (
     update crawl set quarantine_revision = quarantine_revision + 1 where id = $1 returning quarantine_revision
   )
   insert into quarantine (crawl_id, host_id, shape, rule, evidence, verdict, revision, judged_by, judged_at, sample_at)
   select $1, $2, $3, 'operator', '{}', 'held', quarantine_revision, $4, now(), now() + $5 * interval '1 second' from raised
   on conflict (crawl_id, host_id, shape) do update
     set verdict = 'held', rule = 'operator', evidence = '{}', revision = excluded.revision, judged_by = excluded.judged_by,
         judged_at = excluded.judged_at, sample_at = excluded.sample_at,
         let_through = 0, sampled = 0, novel = 0, settled_at = null
   returning id::text`;

interface KeptBack extends CrawlStands {
  readonly id: string;
  readonly crawl_id: number;
  readonly host_id: number;
  readonly shape: string;
  readonly rule: TrapRule;
}

/** Releases that may still keep URLs back. */
export const openReleases = statement<[limit: number], { id: string }>('open-releases')`
   select id::text from quarantine where verdict = 'released' and settled_at is null order by quarantine.id limit $1`;

/** Shapes of running crawls whose samples are due. */
export const dueSamples = statement<[limit: number], { id: string }>('due-samples')`
   select q.id::text from quarantine q join crawl c on c.id = q.crawl_id and c.state = 'running'
    where q.verdict = 'held' and q.rule <> 'soft-404' and q.sample_at <= now() order by q.sample_at limit $1`;

/**
 * A verdict with its crawl, and whether samples are due. Both rows are locked: no crawl is settled at the same moment,
 * and nobody else lets samples through.
 */
export const lockQuarantined = statement<[id: string], KeptBack & { readonly due: boolean }>(
  'lock-quarantined',
)`
   select q.id::text, q.crawl_id, q.host_id, q.shape, q.rule, c.state, c.cause, c.reason,
          coalesce(q.verdict = 'held' and q.sample_at <= now(), false) as due
     from quarantine q join crawl c on c.id = q.crawl_id where q.id = $1 for no key update of c, q`;

/**
 * The next host below a domain, in the order of names spelt backwards, where a verdict on the domain still keeps URLs
 * back; no row: there is none. @param from a name spelt backwards: hosts before it are not looked at; '': at all
 */
export const hostKeptBack = statement<
  [id: string, domain: string, from: string],
  { host_id: number; name: string }
>('host-kept-back')`
   select h.id as host_id, reversed_host_name(h.origin) as name
     from quarantine q cross join host h join host_queue w on w.host_id = h.id and w.crawl_id = q.crawl_id
    where q.id = $1 and ${belowDomain('$2')} and reversed_host_name(h.origin) collate "C" >= $3
      and exists (select from url u where u.host_id = h.id and u.crawl_id = q.crawl_id and u.state = 'excluded'
                                      and u.reason = 'trap' and u.detail = q.id::text || ': ' || q.shape)
    order by reversed_host_name(h.origin) collate "C" limit 1`;

/**
 * Queues up to `limit` URLs again that a verdict keeps back, as samples or free; answers a row for each. Pages that were
 * held as soft 404 have been read: they are done again.
 */
export const requeueQuarantined = statement<
  [id: string, crawlId: number, hostId: number, limit: number, reason: 'sample' | null],
  { host_id: number }
>('requeue-quarantined')`
   with held as materialized (
     select from host_queue where host_id = $3 and crawl_id = $2 for update
   ), chosen as materialized (
     select u.key from quarantine q
       join url u on u.host_id = $3 and u.crawl_id = $2 and u.state = 'excluded'
                 and u.reason in ('trap', 'soft-404') and u.detail = q.id::text || ': ' || q.shape
      where q.id = $1 and ${onceHeld} order by u.key limit $4
   )
   update url u
      set state = case u.reason when 'trap' then 'queued' else 'done' end::url_state, detail = null,
          reason = case when u.reason = 'trap' then $5 when u.redirect_to is null then 'fetched' else 'redirect' end,
          due_at = case u.reason when 'trap' then now() else u.due_at end
     from chosen c
    where u.host_id = $3 and u.crawl_id = $2 and u.key = c.key and u.state = 'excluded'
      and u.reason in ('trap', 'soft-404')
   returning u.host_id`;

/** Notes samples that were let through, and when the next are due. */
export const noteLetThrough = statement<[id: string, urls: number, nextSeconds: number]>('note-let-through')`
   update quarantine set let_through = let_through + $2, sample_at = now() + $3 * interval '1 second' where id = $1`;

/**
 * Notes that a release keeps no URL back any more, once it is so old that no process goes by an earlier verdict.
 */
export const settleRelease = statement<[id: string, seconds: number], { id: string }>('settle-release')`
   update quarantine set settled_at = now()
    where id = $1 and verdict = 'released' and judged_at < now() - $2 * interval '1 second' returning id::text`;

interface ShapedUrl {
  /** Hex. */
  readonly key: string;
  readonly url: string;
  readonly seed: boolean;
  readonly queued: boolean;
}

/** Pages of a crawl at a host after a key, for the preview of a quarantine. */
export const urlsToShape = statement<
  [crawlId: string, hostId: string, after: string, limit: number],
  ShapedUrl
>('urls-to-shape')`
   select encode(key, 'hex') as key, url, seed, state = 'queued' as queued from url
    where host_id = $2 and crawl_id = $1 and kind = 0 and key > decode($3, 'hex') order by key limit $4`;
