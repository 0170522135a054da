import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { crawlPath } from '../../contracts/http/shared.ts';
import { eventList, eventsQuery, lastEventId } from '../../contracts/http/events.ts';
import { fails, json } from './parts.ts';

export const eventPaths: ZodOpenApiPathsObject = {
  '/v1/crawls/{crawlId}/events': {
    get: {
      operationId: 'listEvents',
      summary: 'What happened to a crawl, in order; live for whoever accepts text/event-stream',
      requestParams: {
        path: crawlPath,
        query: eventsQuery,
        header: z.object({ 'Last-Event-ID': lastEventId }),
      },
      responses: {
        '200': {
          description: 'Events, oldest first.',
          content: {
            ...json('', eventList).content,
            'text/event-stream': {
              schema: {
                type: 'string',
                description:
                  'Events named by their kind, with their ids; `progress` with the counts of the moment, without one; `end` when the crawl is over and all was told.',
              },
            },
          },
        },
        '204': {
          description: 'The crawl is over, and Last-Event-ID is its last event: nothing will follow.',
        },
        '400': fails('The query or Last-Event-ID is not valid.'),
        '404': fails('There is no such crawl.'),
      },
    },
  },
};
