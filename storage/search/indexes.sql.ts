/** Jobs of searches: which crawls have an index, and how far each is indexed. A crawl has one, with its own id. */
import type { CrawlState } from '../../contracts/crawl.ts';
import { jobsOf, type JobRow } from '../jobs/index.ts';
import { statement } from '../postgres/index.ts';

interface IndexProgress {
  /** Name of the index that has the pages; null: none was begun. */
  readonly store: string | null;
  /** Which batch of the crawl is the next. A batch of an earlier round puts nothing into the index any more. */
  readonly round: number;
  /** Pages that were looked at, and those of them whose body was gone. */
  readonly looked: number;
  readonly lost: number;
  /** Text search configurations of the pages. */
  readonly configs: readonly string[];
  /** When pages were last put there, in ISO 8601; null: none were. */
  readonly indexedAt: string | null;
}

interface IndexPlace {
  /** In the pages feed; null: the start. */
  readonly cursor: string | null;
  /** The crawl is over, and what is indexed is compared with it once more. */
  readonly checks: boolean;
  /** While the crawl goes on: up to where pages were compared with the index in this round. Null or absent: the start. */
  readonly compared?: string | null;
}

/** Finished: all pages are in the index. Cancelled: the crawl is removed, and its pages leave the index. */
export type IndexRow = JobRow<object, IndexProgress, IndexPlace>;

export const indexRows = jobsOf<IndexRow>('search', true);

/** Has a crawl indexed from now on; what is indexed stays. */
export const askIndex = statement<[crawlId: string]>('ask-index')`
   insert into job as j (kind, id, crawl_id, progress)
   values ('search', $1, $1, '{"store": null, "round": 0, "looked": 0, "lost": 0, "configs": [], "indexedAt": null}')
   on conflict (kind, id) do update set state = 'waiting', created_at = now() where j.state = 'finished'`;

/**
 * Has all pages of a crawl indexed anew, if it has an index; what is indexed stays until then. A batch that was read before
 * is not noted: nobody owns the job any more.
 */
export const restartIndex = statement<[crawlId: string]>('restart-index')`
   update job set state = 'waiting', owner = null, place = null, progress = progress
            || jsonb_build_object('round', (progress ->> 'round')::bigint + 1, 'looked', 0, 'lost', 0)
    where kind = 'search' and id = $1 and state <> 'cancelled'`;

/**
 * Which crawls have an index, with the configurations of their pages, the latest first.
 * @param crawlIds null: all of the tenant
 */
export const indexedCrawls = statement<
  [tenantId: number, crawlIds: readonly string[] | null, limit: number],
  {
    id: string;
    state: CrawlState;
    indexed: boolean;
    /** Pages of the crawl are still to be put into its index. */
    building: boolean;
    /** Pages that were looked at for its index. */
    looked: number;
    configs: readonly string[];
  }
>('indexed-crawls')`
   select c.id::text, c.state, s.id is not null as indexed,
          coalesce(s.state <> 'finished' and (s.place ->> 'checks')::boolean is not true, false) as building,
          coalesce((s.progress ->> 'looked')::bigint, 0) as looked, coalesce(s.progress -> 'configs', '[]') as configs
     from crawl c left join job s on s.kind = 'search' and s.id = c.id
    where c.tenant_id = $1 and c.removed_at is null
      and case when $2::bigint[] is null then s.id is not null else c.id = any ($2) end
    order by c.id desc limit $3`;

/**
 * Indexes to be built or kept up: those that were asked for, those that another index has, and those of crawls that run
 * again, or have run again since they were indexed. By their crawls' ids.
 */
export const openIndexes = statement<[after: string, limit: number, store: string], { id: string }>(
  'open-indexes',
)`
   select s.id::text from job s join crawl c on c.id = s.id
    where s.kind = 'search' and s.id > $1::bigint and c.removed_at is null
      and (s.state in ('waiting', 'running') or s.progress ->> 'store' <> $3
           or c.state not in ('finished', 'cancelled', 'failed') or c.ended_at > s.ended_at)
    order by s.id limit $2`;

/** Crawls that are removed and whose pages are in the index; nothing is put there for them any more. */
export const droppedIndexes = statement<[], { id: string }>('dropped-indexes')`
   update job s set state = 'cancelled'
    where kind = 'search' and not exists (select from crawl c where c.id = s.id and c.removed_at is null)
   returning id::text`;

/** Forgets a removed crawl, unless another process, which drops it too, has left pages of it in the index so far. */
export const forgetIndex = statement<[crawlId: string]>('forget-index')`
   delete from job s where kind = 'search' and id = $1 and state = 'cancelled'
      and not exists (select from search_page p where p.crawl_id = s.id)`;
