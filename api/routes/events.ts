/** The events of a crawl, as a list, or as server-sent events for clients that accept text/event-stream. */
import type { Response } from 'express';
import { z } from 'zod';
import { closedCrawlStates } from '../../contracts/crawl.ts';
import {
  defaultEventLimit,
  eventList,
  eventsQuery,
  lastEventId,
  streamedEvent,
} from '../../contracts/http/events.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { readEvents } from '../../storage/events/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { eventStreams } from '../watchers/event-stream.ts';
import { reader } from '../way-in/access.ts';
import { isStillValid } from '../way-in/gate.ts';
import { parseInput } from '../way-in/problem.ts';
import { turnsOf } from '../way-in/turns.ts';
import { alsoAs, byHand, fails, json } from './answers.ts';
import { answered, route } from './route.ts';

/** Of one event of the stream, its fields by name. */
const asStream = { schema: streamedEvent };

export const eventRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/events',
    access: reader('crawls'),
    id: 'listEvents',
    summary: 'Events of a crawl, in order; as a live stream if the client accepts text/event-stream',
    params: crawlPath,
    query: eventsQuery,
    header: z.object({ 'Last-Event-ID': lastEventId }),
    answers: {
      200: alsoAs('text/event-stream', asStream, json('Events, oldest first.', eventList)),
      204: byHand({
        description: 'The crawl is over, and Last-Event-ID is its last event: no event will follow.',
      }),
      400: fails('The query or Last-Event-ID is not valid.'),
    },
    handler: (parts) => {
      const { pool, keyring } = parts;
      const stream = eventStreams(parts);
      return async ({ params: { crawlId: id }, query, caller, request, response }) => {
        const { cursor = '0', limit = defaultEventLimit, kinds = null } = query;
        const crawl = (await findCrawl(pool, id)) ?? noSuchCrawl(id);
        response.vary('Accept');
        // If the client has gone by now, nothing would notice it later.
        if (hasLeft(response)) return answered;
        const isOver = closedCrawlStates.includes(crawl.state);
        if (request.accepts(['application/json', 'text/event-stream']) === 'text/event-stream') {
          const after = parseInput(lastEventId, request.headers['last-event-id'], 400) ?? cursor;
          if (isOver && after !== '0' && (await readEvents(pool, id, after, 1)).length === 0) {
            // Without the 204 a client would open the stream again for ever (HTML standard 9.2.3).
            response.status(204).end();
            return answered;
          }
          if (hasLeft(response)) return answered;
          if (request.method === 'HEAD') response.type('text/event-stream').end();
          else {
            turnsOf(request)?.leavePlace();
            await stream(response, caller.tenantId, id, after, () => isStillValid(keyring, request));
          }
          return answered;
        }
        const items = [...(await readEvents(pool, id, cursor, limit, kinds))];
        const more = items.length === limit;
        return { items, next: isOver && !more ? null : (items.at(-1)?.id ?? cursor), more };
      };
    },
  }),
];

/** Asked again after each wait. */
const hasLeft = (response: Response): boolean => response.closed || response.destroyed;
