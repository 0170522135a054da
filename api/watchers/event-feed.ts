/** Tells listeners about events of crawls, with one look at the database for all listeners. */
import type { Logger } from 'pino';
import type { CrawlEvent } from '../../contracts/http/events.ts';
import { readEventsOf } from '../../storage/events/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';

/** Milliseconds between two looks, while there are listeners. */
const lookMs = 500;
/**
 * Events of one crawl in one look, at most; the next look goes on. All of them together stay below what a stream may
 * hold back.
 */
const mostAtOnce = 100;

export interface Listener {
  readonly crawlId: string;
  /** Number of the last event that the listener was told. */
  after: string;
  /** In order, each event once. */
  tell(events: readonly CrawlEvent[]): void;
}

export class EventFeed {
  readonly #pool: Pool;
  readonly #log: Logger;
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool;
    this.#log = log;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Returns the function that stops it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#schedule();
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#listeners.size === 0) return;
    this.#timer = setTimeout(() => {
      void this.#look().finally(() => {
        this.#timer = undefined;
        this.#schedule();
      });
    }, lookMs);
  }

  async #look(): Promise<void> {
    // Of several listeners to a crawl, the one that is furthest behind decides where reading starts.
    const places = new Map<string, string>();
    for (const { crawlId, after } of this.#listeners) {
      const place = places.get(crawlId);
      if (place === undefined || Number(after) < Number(place)) places.set(crawlId, after);
    }
    if (places.size === 0) return;
    let events: readonly CrawlEvent[];
    try {
      events = await readEventsOf(this.#pool, places, mostAtOnce);
    } catch (error) {
      this.#log.warn({ err: error }, 'events could not be read; open event streams wait');
      return;
    }
    const byCrawl = Map.groupBy(events, ({ crawlId }) => crawlId);
    for (const listener of this.#listeners) {
      // A listener that came during the look, from further behind, waits for the next look.
      const place = places.get(listener.crawlId);
      if (place === undefined || Number(listener.after) < Number(place)) continue;
      const news = (byCrawl.get(listener.crawlId) ?? []).filter(
        ({ id }) => Number(id) > Number(listener.after),
      );
      const last = news.at(-1);
      if (last === undefined) continue;
      listener.after = last.id;
      listener.tell(news);
    }
  }
}
