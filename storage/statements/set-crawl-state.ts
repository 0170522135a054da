import type { CrawlState } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

/** Sets a crawl's state, with an event in the outbox when it changed. */
export const setCrawlState = statement<
  [crawlId: number, state: CrawlState, reason: string | null],
  { changed: boolean }
>(
  'set-crawl-state',
  `with moved as (
     update crawl
        set state = $2::crawl_state, reason = $3,
            started_at = case when $2::crawl_state = 'running' then coalesce(started_at, now()) else started_at end,
            ended_at = case when $2::crawl_state in ('finished', 'cancelled', 'failed') then now() end
      where id = $1
     returning id, old.state as before, new.state as state
   ), told as (
     insert into event (crawl_id, kind, data)
     select id, 'crawl.' || state::text, json_build_object('reason', $3::text) from moved where before <> state
   )
   select before <> state as changed from moved`,
);
