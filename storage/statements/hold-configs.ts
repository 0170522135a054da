import { statement } from '../statement.ts';

/** The version of the settings by which a crawl rejected links. Such links leave no row, so nothing else would tell. */
export interface JudgedBy {
  readonly crawl_id: number;
  readonly config_version: number;
}

/**
 * Holds the settings of crawls until the transaction ends. Fails with `outdatedConfig` (admit-urls.ts) if the settings
 * are no longer those by which links were judged: the present ones may take a link that the old ones left out. No
 * answer.
 */
export const holdConfigs = statement<[rows: string], { held: number }>(
  'hold-configs',
  `select hold_config(crawl_id, config_version) as held
     from (select distinct crawl_id, config_version from json_to_recordset($1) as r(crawl_id bigint, config_version int)
            order by crawl_id, config_version) judged`,
);
