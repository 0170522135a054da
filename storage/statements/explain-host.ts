import { statement } from '../statement.ts';

export interface HostCircumstances {
  readonly id: string;
  readonly parked_at: Date | null;
  readonly delay_ms: number | null;
  readonly slowdown: number;
  readonly failures: number;
  readonly last_error: string | null;
  /** Milliseconds until the host may be visited; at most 0: it may be now. */
  readonly wait_ms: number;
  /** Somebody holds the host's lease. */
  readonly leased: boolean;
  /** Null: robots.txt was not read yet. */
  readonly robots_status: number | null;
  readonly robots_body: string | null;
  readonly robots_fetched_at: Date | null;
  /** Running crawls with work here: the delay each asks for in seconds, and its user agent, where it sets them. */
  readonly crawls: readonly { readonly delay: number | null; readonly agent: string | null }[];
}

export const explainHost = statement<[origin: string], HostCircumstances>(
  'explain-host',
  `select h.id::text, h.parked_at, h.delay_ms, h.slowdown, h.failures, h.last_error,
          case when h.not_before = '-infinity' then 0
               else extract(epoch from h.not_before - now()) * 1000 end::float8 as wait_ms,
          h.lease_token is not null and h.lease_until > now() as leased,
          r.status as robots_status, r.body as robots_body, r.fetched_at as robots_fetched_at,
          (select coalesce(json_agg(json_build_object('delay', c.config -> 'delaySeconds', 'agent', c.config -> 'userAgent')), '[]')
             from host_queue q join crawl c on c.id = q.crawl_id
            where q.host_id = h.id and q.queued + q.leased > 0 and c.state = 'running') as crawls
     from host h left join robots r on r.host_id = h.id
    where h.origin = $1`,
);
