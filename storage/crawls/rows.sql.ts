/** Crawls as they stand. */
import type { CrawlConfig, CrawlState } from '../../contracts/crawl.ts';
import type { CrawlSummary } from '../../contracts/http/crawls.ts';
import type { NumberedStands } from '../../domain/crawl-life.ts';
import { crawlTime } from './crawl-time.ts';
import { statement, view } from '../postgres/index.ts';

/**
 * Crawls with their ledgers, newest first, without crawls that are being deleted. `only`: this crawl alone; `before`:
 * crawls older than this one. What is null or absent does not count; `tenantId` null: of any tenant. `seconds`: from the
 * crawl's start to its end, or to now, without pauses.
 */
export const listCrawls = view<
  {
    only?: string | null;
    before?: string | null;
    states: readonly CrawlState[];
    limit: number;
    tenantId?: number | null;
  },
  CrawlSummary & Pick<CrawlRow, 'config'> & { configVersion: number }
>('list-crawls')`
   select c.id::text, c.state, c.cause, c.reason, c.label, c.job_id, c.created_at, c.started_at, c.ended_at,
          extract(epoch from ${crawlTime})::float8 as seconds, l.*, c.config, c.config_version
     from crawl c
    cross join lateral (
      select json_build_object(
               'discovered', coalesce(sum(discovered), 0), 'queued', coalesce(sum(queued), 0),
               'leased', coalesce(sum(leased), 0), 'done', coalesce(sum(done), 0),
               'excluded', coalesce(sum(excluded), 0), 'dead', coalesce(sum(dead), 0),
               'failed', coalesce(sum(failed), 0)) as ledger,
             coalesce(sum(pages), 0)::bigint as pages, coalesce(sum(pending), 0)::bigint as pending,
             coalesce(sum(fetches), 0)::bigint as fetches, coalesce(sum(bytes), 0)::bigint as bytes
        from ledger where crawl_id = c.id
    ) l
    where c.removed_at is null and ($only::bigint is null or c.id = $only) and ($before::bigint is null or c.id < $before)
      and c.state = any ($states::crawl_state[])
      and ($tenantId::bigint is null or c.tenant_id = $tenantId)
    order by c.id desc limit $limit`;

export interface CrawlRow {
  readonly id: number;
  readonly tenant_id: number;
  readonly state: CrawlState;
  readonly config: CrawlConfig;
  /** Raised by each edit of the settings. */
  readonly config_version: number;
  /** Raised by each change of its session; 0: it never had one. */
  readonly session_revision: number;
  /** Raised by each verdict on a shape of its URLs. */
  readonly quarantine_revision: number;
  /** Pages of it are rendered, or were: there are URLs that only scripts ask for. */
  readonly renders: boolean;
  /** Changes when the frontier may have lost URLs that it had: some were forgotten, or Postgres was started anew. */
  readonly seen_epoch: string;
}

/**
 * The epoch holds the time at which the server began. A backup that was restored, and a standby that took over with less
 * than the old server had, are servers that began later: what was once committed may be missing from them.
 */
export const loadCrawls = statement<[crawlIds: readonly number[]], CrawlRow>('load-crawls')`
   select c.id, c.tenant_id, c.state, c.config, c.config_version, c.session_revision, c.quarantine_revision,
          c.renders_since is not null as renders,
          concat(coalesce(f.times, 0), '-', round(extract(epoch from pg_postmaster_start_time()) * 1000)) as seen_epoch
     from crawl c left join forgetting f on f.crawl_id = c.id
    where c.id = any ($1)`;

/** Locks crawls, in the order of their ids, so that only one slice at a time judges their page limits. */
export const lockCrawls = statement<[crawlIds: readonly number[]], { id: number }>('lock-crawls')`
   select id from crawl where id = any ($1) order by id for no key update`;

export const crawlStands = statement<[crawlId: number], NumberedStands>('crawl-stands')`
   select state, cause, reason, state_revision as revision from crawl where id = $1`;

/** One row if the crawl belongs to the tenant and is not being deleted. */
export const crawlOfTenant = statement<[crawlId: string, tenantId: number]>('crawl-of-tenant')`
   select from crawl where id = $1 and tenant_id = $2 and removed_at is null`;

/** One row if the crawl belongs to the tenant, also while the crawl is being deleted. */
export const anyCrawlOfTenant = statement<[crawlId: string, tenantId: number]>('any-crawl-of-tenant')`
   select from crawl where id = $1 and tenant_id = $2`;

/** Crawls that are not over, by their ids. */
export const openCrawlsAfter = statement<[after: string, limit: number], { id: string }>('open-crawls-after')`
   select id::text from crawl where state in ('seeding', 'running', 'paused', 'draining') and id > $1
    order by crawl.id limit $2`;

/**
 * The latest crawls before this one that visited a host, newest first, whose stored bodies this crawl may use. They are
 * crawls of the same tenant with the same user agent, without headers of their own in any version of their settings, and
 * that never had a session, since a server may answer others differently.
 */
export const earlierCrawls = statement<[hostId: string, crawlId: number], { crawl_id: number }>(
  'earlier-crawls',
)`
   select q.crawl_id
     from host_queue q
     join crawl c on c.id = q.crawl_id
     join crawl own on own.id = $2 and own.tenant_id = c.tenant_id
      and own.config ->> 'userAgent' is not distinct from c.config ->> 'userAgent'
      and own.session_revision = 0 and c.session_revision = 0
      and own.config -> 'keepCookies' is distinct from 'true' and c.config -> 'keepCookies' is distinct from 'true'
      and coalesce(own.config ->> 'headers', '{}') = '{}'
      and not exists (select from crawl_config v
                       where v.crawl_id in (c.id, own.id) and coalesce(v.config ->> 'headers', '{}') <> '{}')
      and coalesce(c.config ->> 'headers', '{}') = '{}'
    where q.host_id = $1 and q.crawl_id < $2 and c.removed_at is null
    order by q.crawl_id desc limit 8`;

/** The crawl that a tenant knows as this job; no row: there is none. */
export const crawlOfJob = statement<[jobId: string, tenantId: number], { id: string }>('crawl-of-job')`
   select id::text from crawl where job_id = $1 and tenant_id = $2`;

/** Jobs of a user of the tenant that are not over. */
export const countJobsOfUser = statement<[tenantId: number, userId: string], { open: number }>(
  'count-jobs-of-user',
)`
   select count(*) as open from crawl
    where tenant_id = $1 and user_id = $2 and state not in ('finished', 'cancelled', 'failed')`;
