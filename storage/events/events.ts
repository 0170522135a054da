/** The outbox: what happened to crawls, written in the transaction in which it happened. */
import type { CrawlEvent } from '../../contracts/http/events.ts';
import type { Queryable } from '../postgres/index.ts';
import { eventsAfter, eventsOfKinds, type EventRow } from './events.sql.ts';

/** Events of one crawl, behind a number ('0': from the start). @param kinds null: all kinds */
export async function readEvents(
  db: Queryable,
  crawlId: string,
  after: string,
  limit: number,
  kinds: readonly string[] | null = null,
): Promise<readonly CrawlEvent[]> {
  const rows =
    kinds === null
      ? await eventsAfter(db, [Number(crawlId)], [Number(after)], limit)
      : await eventsOfKinds(db, crawlId, after, [...new Set(kinds)], limit);
  return rows.map(eventOf);
}

/** Events of several crawls, for each behind a number of its own. */
export async function readEventsOf(
  db: Queryable,
  places: ReadonlyMap<string, string>,
  limit: number,
): Promise<readonly CrawlEvent[]> {
  const ids = [...places.keys()].map(Number);
  return (await eventsAfter(db, ids, [...places.values()].map(Number), limit)).map(eventOf);
}

const eventOf = ({ number, crawl_id, kind, at, data }: EventRow): CrawlEvent => ({
  id: String(number),
  crawlId: String(crawl_id),
  kind,
  at: at.toISOString(),
  data: { ...data },
});
