import type { CrawlConfig, CrawlState, Ledger } from '../../contracts/crawl.ts';
import type { CrawlCause } from '../../domain/crawl-life.ts';
import { crawlTime } from '../crawl-time.ts';
import { statement } from '../statement.ts';

export interface CountedCrawlRow extends Ledger {
  readonly id: string;
  readonly state: CrawlState;
  readonly cause: CrawlCause | null;
  readonly reason: string | null;
  readonly label: string | null;
  readonly job_id: string;
  readonly config: CrawlConfig;
  readonly config_version: number;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  /** From start to end, or to now, without pauses. */
  readonly seconds: number | null;
  readonly pages: number;
  readonly pending: number;
  readonly fetches: number;
  readonly bytes: number;
}

/** Crawls with their ledgers, newest first, without those that are being deleted. `only`: just this one; `before`: older than this one; null: any, of any tenant. */
export const listCrawls = statement<
  [
    only: string | null,
    before: string | null,
    states: readonly CrawlState[],
    limit: number,
    tenantId: number | null,
  ],
  CountedCrawlRow
>(
  'list-crawls',
  `select c.id::text, c.state, c.cause, c.reason, c.label, c.job_id, c.config, c.config_version, c.created_at, c.started_at, c.ended_at,
          extract(epoch from ${crawlTime})::float8 as seconds, l.*
     from crawl c
    cross join lateral (
      select coalesce(sum(discovered), 0)::bigint as discovered, coalesce(sum(queued), 0)::bigint as queued,
             coalesce(sum(leased), 0)::bigint as leased, coalesce(sum(done), 0)::bigint as done,
             coalesce(sum(excluded), 0)::bigint as excluded, coalesce(sum(dead), 0)::bigint as dead,
             coalesce(sum(failed), 0)::bigint as failed, coalesce(sum(pages), 0)::bigint as pages,
             coalesce(sum(pending), 0)::bigint as pending, coalesce(sum(fetches), 0)::bigint as fetches,
             coalesce(sum(bytes), 0)::bigint as bytes
        from ledger where crawl_id = c.id
    ) l
    where c.removed_at is null and ($1::bigint is null or c.id = $1) and ($2::bigint is null or c.id < $2) and c.state = any ($3::crawl_state[])
      and ($5::bigint is null or c.tenant_id = $5)
    order by c.id desc limit $4`,
);
