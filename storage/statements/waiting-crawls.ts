import { statement } from '../statement.ts';

export interface WaitingCrawl {
  readonly crawl_id: number;
  /** Milliseconds since the head of the last answer to a request of its own here; null: there was none. */
  readonly asked_ago_ms: number | null;
  /** Milliseconds for which it has no turn, by what a foreign fetcher of its tenant has reported of the host. */
  readonly held_ms: number;
}

/** Running crawls with URLs queued at a host. */
export const waitingCrawls = statement<[hostId: string | number], WaitingCrawl>(
  'waiting-crawls',
  `select q.crawl_id, (extract(epoch from now() - q.asked_at) * 1000)::float8 as asked_ago_ms,
          case when q.held_until > now() then extract(epoch from q.held_until - now()) * 1000 else 0 end::float8 as held_ms
     from host_queue q join crawl c on c.id = q.crawl_id and c.state = 'running'
    where q.host_id = $1 and (q.queued > 0 or q.leased > 0)`,
);
