import type { CrawlConfig } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

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

/** Versions of a crawl's settings from `most` down. A crawl that was never edited has its first. */
export const listConfigs = statement<[crawlId: string, most: number, limit: number], ConfigRow>(
  'list-configs',
  `select version, config, created_at, author, note, restores, state, rereads, judged, excluded, readmitted, reread,
          admitted, ended_at
     from (select * from crawl_config where crawl_id = $1
           union all
           select id, 1, config, created_at, null, null, null, 'applied', false, 0, 0, 0, 0, 0, created_at, null
             from crawl where id = $1 and config_version = 1) v
    where version <= $2 order by version desc limit $3`,
);
