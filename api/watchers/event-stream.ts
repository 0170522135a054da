/**
 * Server-sent events (HTML standard section 9.2) of a crawl, for any number of readers. Ids rise within a crawl, so
 * that a reader goes on after the last event it has.
 */
import type { Response } from 'express';
import { closedCrawlStates } from '../../contracts/crawl.ts';
import type { CrawlEvent } from '../../contracts/http/events.ts';
import type { CrawlRate } from '../../contracts/http/counts.ts';
import { lastUsed } from '../../engine/last-used.ts';
import { crawlRateOf, findCrawl } from '../../storage/crawls/index.ts';
import { readEvents } from '../../storage/events/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { EventFeed, type Listener } from './event-feed.ts';

/** Streams at a time for one tenant, and in this process. */
const mostOfTenant = 100;
const mostOfAll = 1_000;
/** Milliseconds between two looks at the counts, and for which all readers of a crawl share a look at its rate. */
const progressMs = 2_000;
const rateMs = 1_000;
/**
 * Events that are read at a time for a listener that is behind; together they stay below what may wait for the
 * listener.
 */
const catchUpBatch = 200;
/** Bytes that may wait for a slow reader. A slower reader is cut off, and can go on after the last event it has. */
const mostUnread = 512 * 1024;
/** A stream ends after this time and must be opened again. It ends some seconds after its key is no longer valid. */
const longestMs = 10 * 60_000;

/**
 * Resolves once the stream has caught up with the present. The stream goes on until its reader leaves or it is told to
 * end, or its reader is no longer welcome.
 */
export type OpenStream = (
  response: Response,
  tenantId: number,
  crawlId: string,
  after: string,
  isWelcome: () => Promise<boolean>,
) => Promise<void>;

export function eventStreams({ pool, log, stopping }: Dependencies): OpenStream {
  const feed = new EventFeed(pool, log);
  /** Number of streams by tenant, and of all. */
  const streams = new Map<number, number>();
  let open = 0;
  const rates = lastUsed<string, Promise<CrawlRate>>(mostOfAll, rateMs);
  const rateOf = (crawlId: string): Promise<CrawlRate> => {
    const rate = rates.get(crawlId) ?? crawlRateOf(pool, crawlId);
    rates.set(crawlId, rate, { noUpdateTTL: true });
    return rate;
  };
  return stream;

  /** There must be no await before the listener for the client's leaving is set. */
  async function stream(
    ...[response, tenantId, crawlId, after, isWelcome]: Parameters<OpenStream>
  ): Promise<void> {
    const ofTenant = streams.get(tenantId) ?? 0;
    if (ofTenant >= mostOfTenant || open >= mostOfAll) {
      response.setHeader('Retry-After', '30');
      throw new HttpProblem(429, 'Too many event streams are open.', { kind: 'rate-limited' });
    }
    response
      .status(200)
      .set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    response.flushHeaders();
    response.write('retry: 2000\n\n');

    let lastCounts = '';
    const say = (text: string): void => {
      if (response.writableEnded) return;
      response.write(text);
      if (response.writableLength > mostUnread) response.destroy();
    };
    const tell = (events: readonly CrawlEvent[]): void => {
      for (const event of events)
        say(`id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`);
    };
    const listener: Listener = { crawlId, after, tell };
    let stop = (): void => undefined;
    streams.set(tenantId, ofTenant + 1);
    open++;
    let looking = false;
    const look = async (): Promise<void> => {
      if (looking) return;
      looking = true;
      try {
        if (!(await isWelcome())) {
          leave();
          return;
        }
        // The order matters: the events of a closed crawl were committed before it was seen closed.
        const crawl = await findCrawl(pool, crawlId);
        const isOver = crawl === null || closedCrawlStates.includes(crawl.state);
        const unread = isOver ? (await readEvents(pool, crawlId, listener.after, 1)).length : 1;
        if (crawl !== null) {
          const { state, ledger, pages, fetches, bytes } = crawl;
          const rate = await rateOf(crawlId);
          const counts = JSON.stringify({ state, pages, fetches, bytes, ledger, rate });
          // Progress has no number and is not sent again: the next one says more.
          say(counts === lastCounts ? ': nothing new\n\n' : `event: progress\ndata: ${counts}\n\n`);
          lastCounts = counts;
        }
        if (isOver && unread === 0) {
          say('event: end\ndata: {}\n\n');
          response.end();
        }
      } catch (error) {
        log.warn({ err: error }, 'the state of a crawl could not be read for its event streams');
      } finally {
        looking = false;
      }
    };
    const timer = setInterval(() => void look(), progressMs);
    const end = setTimeout(() => response.end(), longestMs);
    const leave = (): void => {
      response.end();
    };
    if (stopping.aborted) leave();
    stopping.addEventListener('abort', leave, { once: true });
    response.once('close', () => {
      stop();
      clearInterval(timer);
      clearTimeout(end);
      stopping.removeEventListener('abort', leave);
      open--;
      const left = (streams.get(tenantId) ?? 1) - 1;
      if (left === 0) streams.delete(tenantId);
      else streams.set(tenantId, left);
    });
    await catchUp(response, listener);
    if (!response.closed) stop = feed.listen(listener);
  }

  /** Events before the present are read for this listener alone, and no faster than it takes them. */
  async function catchUp(response: Response, listener: Listener): Promise<void> {
    for (let read = catchUpBatch; read === catchUpBatch && !response.closed;) {
      const events = await readEvents(pool, listener.crawlId, listener.after, catchUpBatch);
      read = events.length;
      listener.after = events.at(-1)?.id ?? listener.after;
      listener.tell(events);
      if (response.writableNeedDrain && !response.destroyed) await drained(response);
    }
  }
}

/** Resolves also when the response is closed. */
const drained = (response: Response): Promise<void> =>
  new Promise((go) => {
    response.once('drain', go);
    response.once('close', go);
  });
