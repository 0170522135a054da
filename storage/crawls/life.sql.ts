/** How a crawl changes its state and is opened again (domain/crawl-life.ts). */
import type { CrawlCause, CrawlState } from '../../domain/crawl-life.ts';
import { statement } from '../postgres/index.ts';

/**
 * Sets a crawl's state. If the state changes, also writes an event to the outbox; the event of the end holds the
 * totals.
 */
export const setCrawlState = statement<
  [crawlId: number, state: CrawlState, cause: CrawlCause | null, reason: string | null],
  { changed: boolean }
>('set-crawl-state')`
   with moved as (
     update crawl
        set state = $2::crawl_state, cause = $3, reason = $4,
            started_at = case when $2::crawl_state = 'running' then coalesce(started_at, now()) else started_at end,
            ended_at = case when $2::crawl_state in ('finished', 'cancelled', 'failed') then now() end
      where id = $1
     returning id, old.state as before, new.state as state
   ), told as (
     insert into event (crawl_id, kind, data)
     select id, 'crawl.' || state::text,
            jsonb_build_object('cause', $3::text, 'reason', $4::text)
              || case when state in ('finished', 'cancelled', 'failed') then
                   (select jsonb_build_object('pages', coalesce(sum(pages), 0), 'fetches', coalesce(sum(fetches), 0),
                                              'bytes', coalesce(sum(bytes), 0), 'discovered', coalesce(sum(discovered), 0),
                                              'done', coalesce(sum(done), 0), 'excluded', coalesce(sum(excluded), 0),
                                              'failed', coalesce(sum(failed), 0))
                      from ledger where crawl_id = moved.id)
                 else '{}' end
       from moved where before <> state
   )
   select before <> state as changed from moved`;

/** Makes crawls that had ended run again; the caller must hold their rows. Answers the crawls that had ended. */
export const reopenClosedCrawls = statement<[crawlIds: readonly number[]], { id: number }>(
  'reopen-closed-crawls',
)`
   with reopened as (
     update crawl set state = 'running', cause = null, reason = null, started_at = coalesce(started_at, now()), ended_at = null
      where id = any ($1) and state in ('finished', 'failed')
     returning id
   ), told as (
     insert into event (crawl_id, kind) select id, 'crawl.reopened' from reopened
   )
   select id from reopened`;

/** Makes crawls run again that ended while URLs waited at this host. Answers the ids of all that run with URLs here. */
export const reopenCrawlsAtHost = statement<[hostId: string], { id: number }>('reopen-crawls')`
   with waiting as materialized (
     select c.id from crawl c join host_queue q on q.crawl_id = c.id
      where q.host_id = $1 and q.has_queued and c.state in ('running', 'finished', 'failed')
      order by c.id for no key update of c
   ), reopened as (
     update crawl c set state = 'running', cause = null, reason = null, ended_at = null
       from waiting w where c.id = w.id and c.state in ('finished', 'failed')
     returning c.id
   ), told as (
     insert into event (crawl_id, kind) select id, 'crawl.reopened' from reopened
   )
   select id from waiting`;
