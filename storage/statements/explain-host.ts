import type { HostSettings } from '../../contracts/hosts.ts';
import { defaultTenant } from '../../contracts/tenancy.ts';
import { turnInMs } from '../crawl-turns.ts';
import { hostSettings } from '../host-settings.ts';
import { slowdownNow } from '../slowdown.ts';
import { statement } from '../statement.ts';

export interface HostCircumstances {
  readonly id: string;
  /** A crawl of the same tenant has URLs here. */
  readonly met: boolean;
  readonly paused_at: Date | null;
  readonly parked_at: Date | null;
  readonly settings: HostSettings;
  readonly requests_day: string | null;
  readonly requests_used: number;
  readonly took_ms: number | null;
  /** The database's clock, in milliseconds since 1970. */
  readonly now_ms: number;
  readonly slowdown: number;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly last_error: string | null;
  /** Milliseconds until the host may be visited, and the part of it that is plain pace; at most 0: it may be now. */
  readonly wait_ms: number;
  readonly pace_ms: number;
  /** Milliseconds the lease still holds; at most 0: it ran out and was not returned; null: nobody has it. */
  readonly lease_ms: number | null;
  readonly guest: boolean;
  readonly fed: boolean;
  /** Null: robots.txt was not read yet. */
  readonly robots_status: number | null;
  readonly robots_body: string | null;
  readonly robots_fetched_at: Date | null;
  readonly robots_age_ms: number | null;
  /** URLs of the crawl in question here, of any state. */
  readonly urls: number;
  /** Milliseconds until its turn, and whether that is for what a foreign fetcher has reported. */
  readonly turn_ms: number;
  readonly turn_held: boolean;
  /** Running crawls with work here: what is queued, the delay each asks for in seconds, and its user agent. */
  readonly crawls: readonly {
    readonly id: number;
    readonly queued: number;
    readonly delay: number | null;
    readonly agent: string | null;
    /** The delay is at least so many times what the last answer took. */
    readonly factor: number | null;
    /** It may undercut the default delay. */
    readonly leave: boolean;
    /** Of the same tenant. */
    readonly ours: boolean;
  }[];
}

export const explainHost = statement<[origin: string, crawlId: string], HostCircumstances>(
  'explain-host',
  `select h.id::text,
          exists (select from host_queue q join crawl c on c.id = q.crawl_id
                   where q.host_id = h.id and c.tenant_id = (select tenant_id from crawl where id = $2)) as met,
          h.paused_at, h.parked_at, ${slowdownNow('h.')} as slowdown, h.failures, h.failing_since, h.last_error, h.fed,
          ${hostSettings('h.')}, h.requests_day, h.requests_used, h.took_ms,
          (extract(epoch from now()) * 1000)::float8 as now_ms,
          case when h.not_before = '-infinity' then 0
               else extract(epoch from h.not_before - now()) * 1000 end::float8 as wait_ms,
          case when h.paced_until = '-infinity' then 0
               else extract(epoch from h.paced_until - now()) * 1000 end::float8 as pace_ms,
          case when h.lease_token is not null
               then (extract(epoch from h.lease_until - now()) * 1000)::float8 end as lease_ms,
          coalesce(h.guest_until > now(), false) as guest,
          r.status as robots_status, r.body as robots_body, r.fetched_at as robots_fetched_at,
          (extract(epoch from now() - r.fetched_at) * 1000)::float8 as robots_age_ms,
          coalesce((select q.total from host_queue q where q.host_id = h.id and q.crawl_id = $2), 0) as urls,
          coalesce((select ${turnInMs} from host_queue q join crawl c on c.id = q.crawl_id
                     where q.host_id = h.id and q.crawl_id = $2), 0) as turn_ms,
          coalesce((select q.held_until > now() from host_queue q where q.host_id = h.id and q.crawl_id = $2), false) as turn_held,
          (select coalesce(json_agg(json_build_object('id', c.id, 'queued', q.queued, 'delay', c.config -> 'delaySeconds', 'factor', c.config -> 'delayFactor',
                                                      'agent', c.config -> 'userAgent', 'leave', c.tenant_id = ${String(defaultTenant)},
                                                      'ours', c.tenant_id = (select tenant_id from crawl where id = $2))),
                           '[]')
             from host_queue q join crawl c on c.id = q.crawl_id
            where q.host_id = h.id and q.queued + q.leased > 0 and c.state = 'running') as crawls
     from host h left join robots r on r.host_id = h.id
    where h.origin = $1`,
);
