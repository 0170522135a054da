import { holdQueues, onceHeld } from '../queue-locks.ts';
import { statement } from '../statement.ts';

/** A URL that other settings have moved, as JSON. */
export interface JudgedUrl {
  readonly host_id: number;
  readonly crawl_id: number;
  /** Hex. */
  readonly key: string;
  readonly was: 'queued' | 'excluded';
  readonly was_reason: string | null;
  readonly state: 'queued' | 'excluded';
  readonly reason: string | null;
  readonly detail: string | null;
}

/** Moves URLs that are still as they were judged; answers those. What else is known of them stays, when they are due too. */
export const judgeUrls = statement<
  [rows: string],
  { host_id: number; was: 'queued' | 'excluded'; state: 'queued' | 'excluded' }
>(
  'judge-urls',
  `with r as materialized (
     select * from json_to_recordset($1) as r(host_id bigint, crawl_id bigint, key text, was url_state, was_reason text,
                                              state url_state, reason text, detail text)
      order by host_id, key
   ), ${holdQueues('r')}
   update url u set state = r.state, reason = r.reason, detail = r.detail
     from r
    where u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = decode(r.key, 'hex')
      and u.state = r.was and u.reason is not distinct from r.was_reason and ${onceHeld}
   returning u.host_id, r.was, u.state`,
);
