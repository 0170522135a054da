/** What the pages of hosts showed. */
import type { ShapeStatus, WatchState } from '../../domain/traps/watch.ts';
import { hostQuota } from '../hosts/index.ts';
import { statement } from '../postgres/index.ts';

/** Makes rows for hosts that have none, but not for crawls that are deleted. `places`: [{host_id, crawl_id}]. */
export const beginWatches = statement<[places: string]>('begin-watches')`
   insert into trap_watch (host_id, crawl_id, state)
   select host_id, crawl_id, '{}'
     from json_to_recordset($1) as r(host_id bigint, crawl_id bigint)
    where exists (select from crawl c where c.id = r.crawl_id and c.removed_at is null) order by host_id, crawl_id
   on conflict (host_id, crawl_id) do nothing`;

export interface WatchRow {
  readonly host_id: number;
  readonly crawl_id: number;
  /** Empty: no page was added yet. */
  readonly state: Partial<WatchState>;
  /** Of the host's shapes that have one. */
  readonly statuses: Readonly<Record<string, ShapeStatus | 'cleared'>> | null;
  /** Requests a day that the host may get; null: as many as any. */
  readonly quota: number | null;
}

/** Locks the watches of places, in their order, until the transaction ends. */
export const lockWatches = statement<[places: string], WatchRow>('lock-watches')`
   select w.host_id, w.crawl_id, w.state,
          (select json_object_agg(q.shape, case when q.verdict = 'suspected' and q.rule = 'noindex' then 'deferred' else q.verdict end) from quarantine q
            where q.crawl_id = w.crawl_id and q.host_id = w.host_id) as statuses,
          ${hostQuota('h.')} as quota
     from trap_watch w join host h on h.id = w.host_id
    where (w.host_id, w.crawl_id) in (select host_id, crawl_id from json_to_recordset($1) as r(host_id bigint, crawl_id bigint))
    order by w.host_id, w.crawl_id for update of w`;

/** `rows`: [{host_id, crawl_id, state}], locked. */
export const storeWatches = statement<[rows: string]>('store-watches')`
   update trap_watch w set state = r.state
     from json_to_recordset($1) as r(host_id bigint, crawl_id bigint, state json)
    where w.host_id = r.host_id and w.crawl_id = r.crawl_id`;
