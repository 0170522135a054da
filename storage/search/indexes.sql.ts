/** Statements on which crawls have an index, and how far each is indexed. */
import type { CrawlState } from '../../contracts/crawl.ts';
import { statement } from '../postgres/index.ts';

export interface IndexRow {
  /** 'checking': what is indexed is compared with the crawl once more; 'dropped': the crawl is removed, and its pages leave the index. */
  readonly state: 'building' | 'checking' | 'ready' | 'dropped';
  /** Name of the index that has its pages; null: none was begun. */
  readonly store: string | null;
  readonly place: string | null;
  /** Which batch of the crawl is the next. */
  readonly round: number;
  readonly looked: number;
  readonly lost: number;
  readonly asked_at: Date;
  readonly indexed_at: Date | null;
}

/** Has a crawl indexed from now on; what is indexed stays. */
export const askIndex = statement<[crawlId: string]>('ask-index')`
   insert into search_index as s (crawl_id) values ($1)
   on conflict (crawl_id) do update set state = 'building', asked_at = now()
    where s.state not in ('building', 'checking')`;

/**
 * Has all pages of a crawl indexed anew, if it has an index; what is indexed stays until then. A batch that was read before
 * is not noted: it is of an earlier round.
 */
export const restartIndex = statement<[crawlId: string]>('restart-index')`
   update search_index set state = 'building', place = null, round = round + 1, looked = 0, lost = 0
    where crawl_id = $1 and state <> 'dropped'`;

/** No row: the crawl has no index. */
export const findIndex = statement<[crawlId: string], IndexRow>('find-index')`
   select state, store, place, round, looked, lost, asked_at, indexed_at from search_index where crawl_id = $1`;

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
   select c.id::text, c.state, s.crawl_id is not null as indexed, coalesce(s.state not in ('ready', 'checking'), false) as building, coalesce(s.looked, 0) as looked,
          coalesce(s.configs, '{}') as configs
     from crawl c left join search_index s on s.crawl_id = c.id
    where c.tenant_id = $1 and c.removed_at is null
      and case when $2::bigint[] is null then s.crawl_id is not null else c.id = any ($2) end
    order by c.id desc limit $3`;

/**
 * Indexes to be built or kept up: those that were asked for, those that another index has, and those of crawls that run
 * again, or have run again since they were indexed. By their crawls' ids.
 */
export const openIndexes = statement<[after: string, limit: number, store: string], { id: string }>(
  'open-indexes',
)`
   select s.crawl_id::text as id from search_index s join crawl c on c.id = s.crawl_id
    where s.crawl_id > $1::bigint and c.removed_at is null
      and (s.state in ('building', 'checking') or s.store <> $3 or c.state not in ('finished', 'cancelled', 'failed')
           or c.ended_at > s.indexed_at)
    order by s.crawl_id limit $2`;

/**
 * Has a crawl indexed from the start, in another index. What that has of it is to be dropped before: rounds go on by two,
 * so that the versions under which it was dropped are passed. No row: another process did so first.
 */
export const moveIndex = statement<[crawlId: string, round: number, store: string], { crawl_id: number }>(
  'move-index',
)`
   update search_index
      set store = $3, state = 'building', place = null, round = round + 2, looked = 0, lost = 0, configs = '{}'
    where crawl_id = $1 and round = $2 and state <> 'dropped'
   returning crawl_id`;

/**
 * Ends a round: notes how far a crawl is indexed; to null: it is looked at from the start. No row: another process did so
 * first.
 */
export const noteIndexed = statement<
  [
    crawlId: string,
    round: number,
    to: string | null,
    looked: number,
    lost: number,
    configs: readonly string[],
    state: IndexRow['state'],
  ],
  { crawl_id: number }
>('note-indexed')`
   update search_index
      set place = $3, round = round + 1, looked = looked + $4, lost = lost + $5, state = $7,
          configs = array(select distinct unnest(configs || $6::text[]) order by 1), indexed_at = now()
    where crawl_id = $1 and round = $2
   returning crawl_id`;

/** Crawls that are removed and whose pages are in the index; nothing is put there for them any more. */
export const droppedIndexes = statement<[], { id: string }>('dropped-indexes')`
   update search_index s set state = 'dropped'
    where not exists (select from crawl c where c.id = s.crawl_id and c.removed_at is null)
   returning crawl_id::text as id`;

/** Forgets a removed crawl, unless another process, which drops it too, has left pages of it in the index so far. */
export const forgetIndex = statement<[crawlId: string]>('forget-index')`
   delete from search_index s where crawl_id = $1 and state = 'dropped'
      and not exists (select from search_page p where p.crawl_id = s.crawl_id)`;
