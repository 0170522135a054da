import type { Cut } from '../../domain/limits.ts';
import { statement } from '../statement.ts';

/** A step of a fetched body through dedup and extraction, as JSON. */
export interface StageRow {
  readonly host_id: number;
  readonly crawl_id: number;
  readonly key: string;
  readonly from: 1 | 2;
  readonly to: 0 | 2;
  /** The page this one is a duplicate of. */
  readonly alias_host: number | null;
  readonly alias_key: string | null;
  /** At the end of extraction: what limits left out of it; absent: nothing. */
  readonly cut?: Cut | null;
}

/** Moves bodies on. A row that has moved meanwhile (an activity that ran twice) is left alone. */
export const advanceStages = statement<[rows: string], Record<string, never>>(
  'advance-stages',
  `with r as materialized (
     select * from json_to_recordset($1) as r(
       host_id bigint, crawl_id bigint, key text, "from" smallint, "to" smallint, alias_host bigint, alias_key text,
       cut jsonb)
      order by host_id, crawl_id, key
   )
   update url u
      set stage = r."to", alias_host = coalesce(r.alias_host, u.alias_host),
          alias_key = coalesce(decode(r.alias_key, 'hex'), u.alias_key),
          cut = case when r."from" = 2 then nullif(r.cut, '{}') else u.cut end
     from r
    where u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = decode(r.key, 'hex') and u.stage = r."from"`,
);
