/** Events, read in order. */
import type { CrawlEvent } from '../../contracts/http/events.ts';
import { view } from '../postgres/index.ts';

/**
 * Events of crawls: for each crawl those after a number, oldest first, at most `limit` for each. A writer of an event
 * holds the row of its crawl, so events of one crawl are committed in the order of their numbers, and no event comes
 * late.
 */
export const eventsAfter = view<
  [crawlIds: readonly number[], after: readonly number[], limit: number],
  CrawlEvent
>('events-after')`
   select e.number::text as id, e.crawl_id::text, e.kind, e.at, e.data
     from unnest($1::bigint[], $2::bigint[]) as wanted(crawl_id, after)
    cross join lateral (
      select * from event where event.crawl_id = wanted.crawl_id and event.number > wanted.after order by event.number limit $3
    ) e
    order by e.crawl_id, e.number`;

/** Events of some kinds of one crawl after a number, oldest first; each kind is looked up by itself. */
export const eventsOfKinds = view<
  [crawlId: string, after: string, kinds: readonly string[], limit: number],
  CrawlEvent
>('events-of-kinds')`
   select e.number::text as id, e.crawl_id::text, e.kind, e.at, e.data
     from unnest($3::text[]) wanted(kind)
    cross join lateral (
      select * from event where event.crawl_id = $1 and event.kind = wanted.kind and event.number > $2 order by event.number limit $4
    ) e
    order by e.number limit $4`;
