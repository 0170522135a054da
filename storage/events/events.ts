/** The outbox: what happened to crawls, written in the transaction in which it happened. */
import type { CrawlEvent } from '../../contracts/http/events.ts';
import type { Queryable } from '../postgres/index.ts';
import { eventsAfter, eventsOfKinds } from './events.sql.ts';

/** Events of one crawl, behind a number ('0': from the start). @param kinds null: all kinds */
export async function readEvents(
  db: Queryable,
  crawlId: string,
  after: string,
  limit: number,
  kinds: readonly string[] | null = null,
): Promise<readonly CrawlEvent[]> {
  return kinds === null
    ? eventsAfter(db, [Number(crawlId)], [Number(after)], limit)
    : eventsOfKinds(db, crawlId, after, [...new Set(kinds)], limit);
}

/** Events of several crawls, for each behind a number of its own. */
export async function readEventsOf(
  db: Queryable,
  places: ReadonlyMap<string, string>,
  limit: number,
): Promise<readonly CrawlEvent[]> {
  const ids = [...places.keys()].map(Number);
  return eventsAfter(db, ids, [...places.values()].map(Number), limit);
}
