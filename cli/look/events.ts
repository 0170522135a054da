/** `events`: the events of a crawl, as a list, or followed as they happen until the crawl is over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { crawlEvent, type CrawlEvent } from '../../contracts/http/events.ts';
import { readAnswer } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { mayPass } from '../api/request.ts';
import { readServerSentEvents } from '../api/stream.ts';
import { anyApi, withApi } from '../api/target.ts';
import { oneCrawl, wholeNumber } from '../arguments.ts';
import { CommandError, exitCodes } from '../ending.ts';
import { moment, printable, writeLines, writeList } from '../output/table.ts';
import { does } from '../verb.ts';

export const verbs = [
  does({
    words: 'events',
    takes: {
      ...oneCrawl,
      '--after <n>': { about: 'only events after the one with this number', read: wholeNumber(0), usual: 0 },
      '--kinds <kinds>': {
        about: 'only events of these kinds, such as crawl.paused,page.changed',
        conflicts: 'follow',
      },
      '--follow': 'wait for more events until the crawl is over, and connect again if a connection is lost',
      '--json': 'as JSON, one object a line',
    },
    examples: ['3', '3 --after 7 --follow --json'],
    run: async ({ id, after, kinds, follow, json, ...given }) => {
      if (follow) {
        for await (const event of followed(await anyApi(given), id, String(after))) {
          const line = [event.id.padStart(4), moment(event.at), event.kind.padEnd(15), words(event.data)];
          writeLines([json ? JSON.stringify(event) : printable(line.join('  ')).trimEnd()]);
        }
        return;
      }
      await withApi(given, async (api) => {
        const all = api.list(`/v1/crawls/${id}/events`, crawlEvent, { limit: 1_000, kinds });
        await writeList(behind(all, after), json, {
          heads: ['id', 'at', 'event', 'data'],
          row: (event) => [event.id, moment(event.at), event.kind, words(event.data)],
          none: 'There is no event yet.',
        });
      });
    },
  }),
];

/** `pages: 3, reason: complete` */
const words = (data: CrawlEvent['data']): string =>
  Object.entries(data)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

/**
 * Event numbers are no cursors of the list. A crawl has few enough events to read all and leave out those already seen.
 */
async function* behind(all: AsyncIterable<CrawlEvent>, after: number): AsyncGenerator<CrawlEvent> {
  for await (const event of all) if (Number(event.id) > after) yield event;
}

/** Milliseconds between the end of a stream and the next one. */
const againMs = 2_000;
/** Milliseconds for which no stream can be opened before the verb gives up. */
const patienceMs = 60_000;

/**
 * Each event once and in order, over as many streams as needed, until the crawl is over. A stream that breaks off, or
 * cannot be opened for a while, is opened again after the last event. @throws CommandError
 */
async function* followed(api: Api, id: string, after: string): AsyncGenerator<CrawlEvent> {
  let last = after;
  let failingSince: number | null = null;
  for (;;) {
    try {
      const { status, chunks } = await api.take(`/v1/crawls/${id}/events`, 'text/event-stream', {
        headers: { accept: 'text/event-stream', ...(last !== '0' && { 'last-event-id': last }) },
      });
      failingSince = null;
      if (status === 204) return;
      for await (const { id: number, kind, data } of readServerSentEvents(chunks)) {
        if (kind === 'end') return;
        // Progress events have no number; other verbs show the counts.
        if (number === null) continue;
        const event = readAnswer(
          crawlEvent,
          JSON.parse(data),
          (why) => new CommandError(`An event of crawl ${id} ${why}.`, exitCodes.broken),
        );
        last = number;
        yield event;
      }
    } catch (error) {
      if (!mayPass(error)) throw error;
      failingSince ??= performance.now();
      if (performance.now() - failingSince > patienceMs) throw error;
    }
    await sleep(againMs);
  }
}
