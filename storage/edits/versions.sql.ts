/** Versions of settings. */
import type { CrawlConfig } from '../../contracts/crawl.ts';
import { statement } from '../postgres/index.ts';
import type { CrawlStands } from '../../domain/crawl-life.ts';

export interface ConfigRow {
  readonly version: number;
  readonly config: Partial<CrawlConfig>;
  readonly created_at: Date;
  readonly author: string | null;
  readonly note: string | null;
  readonly restores: number | null;
  readonly state: 'pending' | 'applied' | 'superseded' | 'stopped';
  readonly rereads: boolean;
  readonly judged: number;
  readonly excluded: number;
  readonly readmitted: number;
  readonly reread: number;
  readonly admitted: number;
  readonly ended_at: Date | null;
}

/** Versions of a crawl's settings from `most` down. A crawl that was never edited has its first version. */
export const listConfigs = statement<[crawlId: string, most: number, limit: number], ConfigRow>(
  'list-configs',
)`
   select version, config, created_at, author, note, restores, state, rereads, judged, excluded, readmitted, reread,
          admitted, ended_at
     from (select * from crawl_config where crawl_id = $1
           union all
           select id, 1, config, created_at, null, null, null, 'applied', false, 0, 0, 0, 0, 0, created_at, null
             from crawl where id = $1 and config_version = 1) v
    where version <= $2 order by version desc limit $3`;

/**
 * Stores a new version of a crawl's settings, in force from the commit on, with an event. The caller must hold the
 * crawl's row. `rereads` is taken over from a version that was not applied to its end.
 */
export const storeConfig = statement<
  [
    crawlId: string,
    version: number,
    config: string,
    author: string,
    note: string | null,
    restores: number | null,
    rereads: boolean,
  ]
>('store-config')`
   with first as (
     insert into crawl_config (crawl_id, version, config, created_at, state, rereads, ended_at)
     select id, config_version, config, created_at, 'applied', false, created_at
       from crawl where id = $1 and config_version = 1
   ), superseded as (
     update crawl_config set state = 'superseded', ended_at = now() where crawl_id = $1 and state = 'pending'
     returning rereads
   ), stored as (
     insert into crawl_config (crawl_id, version, config, author, note, restores, state, rereads)
     values ($1, $2, $3, $4, $5, $6, 'pending', $7 or exists (select from superseded where rereads))
     returning version
   ), changed as (
     update crawl set config = $3, config_version = $2 where id = $1
   )
   insert into event (crawl_id, kind, data)
   select $1, 'crawl.edited', json_build_object('version', version, 'restores', $6::int) from stored`;

export interface PendingConfig extends CrawlStands {
  readonly version: number;
  readonly config: Partial<CrawlConfig>;
  readonly rereads: boolean;
  /** How far the job has come (storage/edits/crawl-edits.ts); null: the job has not begun. */
  readonly place: string | null;
  /** Revision of the crawl's seeds, on whose places the scope depends. */
  readonly seeds_revision: number;
}

/** The version by which a crawl's frontier is still to be judged; no row: the whole frontier has been judged. */
export const pendingConfig = statement<[crawlId: string], PendingConfig>('pending-config')`
   select v.version, v.config, v.rereads, v.place, c.state, c.cause, c.reason, c.seeds_revision
     from crawl_config v join crawl c on c.id = v.crawl_id
    where v.crawl_id = $1 and v.state = 'pending'`;

/**
 * Whether a version, or one since the last that was applied to its end, has other settings for scores than that one.
 */
export const changesScores = statement<[crawlId: string, version: number], { changed: boolean }>(
  'changes-scores',
)`
   select count(distinct jsonb_build_array(config -> 'priority', config -> 'trustedDomains')) > 1 as changed
     from crawl_config
    where crawl_id = $1 and version <= $2
      and version >= (select max(version) from crawl_config where crawl_id = $1 and version < $2 and state = 'applied')`;

/** Crawls whose settings were stored a while ago and are not applied yet, by their ids. */
export const pendingEdits = statement<[after: string, limit: number], { id: string }>('pending-edits')`
   select crawl_id::text as id from crawl_config
    where state = 'pending' and created_at < now() - interval '10 seconds' and crawl_id > $1::bigint
    order by crawl_id limit $2`;

/**
 * Notes that a pending version was applied to its end, or given up with its crawl. No row: another job has taken over.
 */
export const endConfig = statement<
  [crawlId: string, version: number, state: 'applied' | 'stopped', from: string | null],
  { version: number }
>('end-config')`
   update crawl_config set state = $3, ended_at = now() where crawl_id = $1 and version = $2 and state = 'pending' and place is not distinct from $4
   returning version`;

/**
 * Forgets versions of a crawl's settings, but keeps the first and the latest `keep`; of these, no more than `bytes` as
 * they are stored.
 */
export const dropOldConfigs = statement<[crawlId: string, keep: number, bytes: number], { version: number }>(
  'drop-old-configs',
)`
   delete from crawl_config
    where crawl_id = $1 and state <> 'pending' and version in (
      select version
        from (select version, row_number() over latest as place, sum(pg_column_size(config)) over latest as size
                from crawl_config where crawl_id = $1 and version > 1
              window latest as (order by version desc)) v
       where place > $2 or size > $3)
   returning version`;

export interface EditedCrawl extends CrawlStands {
  readonly config: Partial<CrawlConfig>;
  readonly config_version: number;
}

/**
 * Waits for transactions that admit URLs under the present settings (`hold_config`), and locks the crawl against its
 * end.
 */
export const lockForEdit = statement<[crawlId: string], EditedCrawl>('lock-for-edit')`
   select state, cause, reason, config, config_version from crawl where id = $1 for update`;

export interface JudgedCounts {
  readonly judged: number;
  readonly excluded: number;
  readonly readmitted: number;
  readonly reread: number;
  readonly admitted: number;
}

/**
 * Notes how far a pending version has been applied, and adds to its counts. `counts`: JudgedCounts. No row: another job
 * has taken over.
 */
export const noteJudged = statement<
  [crawlId: string, version: number, from: string | null, to: string, counts: string],
  { version: number }
>('note-judged')`
   update crawl_config v
      set place = $4, judged = v.judged + c.judged, excluded = v.excluded + c.excluded,
          readmitted = v.readmitted + c.readmitted, reread = v.reread + c.reread, admitted = v.admitted + c.admitted
     from json_to_record($5::json) as c(
            judged bigint, excluded bigint, readmitted bigint, reread bigint, admitted bigint)
    where v.crawl_id = $1 and v.version = $2 and v.state = 'pending' and v.place is not distinct from $3
   returning v.version`;
