import { statement } from '../statement.ts';

/** Settings by which links were found to be none of a crawl's; of such a link nothing is stored that would tell. */
export interface JudgedBy {
  readonly crawl_id: number;
  readonly config_version: number;
}

/**
 * Holds the settings of crawls until the transaction ends. Fails with `outdatedConfig` (admit-urls.ts) where they are no
 * longer those that were judged by: a link that they left out may be one that the present ones take. No answer.
 */
export const holdConfigs = statement<[rows: string], { held: number }>(
  'hold-configs',
  `select hold_config(crawl_id, config_version) as held
     from (select distinct crawl_id, config_version from json_to_recordset($1) as r(crawl_id bigint, config_version int)
            order by crawl_id, config_version) judged`,
);
