/** Sessions of a crawl as a resource: given, listed without their secrets, taken back. */
import { newSession, sessionPath, sessionsView } from '../../contracts/http/sessions.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { reaches } from '../../domain/session/session.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { giveSession, retrySession, takeSession } from '../../storage/sessions/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { readSessions, renewSession, sessionsOf } from '../crawls/crawl-sessions.ts';
import { operator, reader } from '../way-in/access.ts';
import { noteForAudit } from '../way-in/audit-log.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json } from './answers.ts';
import { route } from './route.ts';

const all = '/v1/crawls/{crawlId}/sessions';
const noCrawl = fails('There is no such crawl.');
const refusals = {
  404: noCrawl,
  429: fails('The crawl had ended, and a quota of the tenant does not allow it to go on.'),
};

export const sessionRoutes = [
  route({
    method: 'GET',
    path: all,
    access: reader('crawls'),
    id: 'listSessions',
    summary: 'Sessions of a crawl without their secrets, and the hosts that have logged it out',
    params: crawlPath,
    answers: { 200: json('Sessions.', sessionsView), 404: noCrawl },
    handler:
      (parts) =>
      async ({ params: { crawlId } }) => {
        if ((await findCrawl(parts.pool, crawlId)) === null) noSuchCrawl(crawlId);
        return sessionsOf(parts, crawlId);
      },
  }),
  route({
    method: 'POST',
    path: all,
    access: operator('crawls'),
    id: 'giveSession',
    summary:
      'Give a crawl a session, in place of what it had at the same places; it goes on at hosts that had logged it out',
    params: crawlPath,
    body: newSession,
    answers: {
      200: json('Sessions.', sessionsView),
      403: fails('Only crawls of the first tenant may go by a proxy.'),
      422: fails('The body is not valid, or its cookies cannot be read.'),
      503: fails('This API has no key to keep secrets by, or Temporal does not answer.'),
      ...refusals,
    },
    countsQuotas: true,
    handler:
      (parts) =>
      ({ params: { crawlId }, body, caller, response }) => {
        const given = readSessions(caller.tenantId, [body]);
        noteForAudit(response, `a session at ${given.map(({ place }) => place).join(', ')}`.slice(0, 300));
        return renewSession(parts, response, caller, crawlId, (tell) =>
          giveSession(parts.pool, parts.keys, Number(crawlId), given, reaches, tell),
        );
      },
  }),
  route({
    method: 'POST',
    path: `${all}/retry`,
    access: operator('crawls'),
    id: 'retrySession',
    summary: 'Ask hosts that have logged a crawl out again, with the session that the crawl has',
    params: crawlPath,
    answers: { 200: json('Sessions.', sessionsView), ...refusals },
    countsQuotas: true,
    handler:
      (parts) =>
      ({ params: { crawlId }, caller, response }) =>
        renewSession(parts, response, caller, crawlId, (tell) =>
          retrySession(parts.pool, Number(crawlId), tell),
        ),
  }),
  route({
    method: 'DELETE',
    path: `${all}/{place}`,
    access: operator('crawls'),
    id: 'takeSession',
    summary: 'Take back what a crawl has at a place: nothing of it goes along with the next request',
    params: sessionPath,
    answers: {
      200: json('Sessions.', sessionsView),
      400: fails('The place is too long.'),
      404: fails('There is no such crawl, or it has nothing at this place.'),
    },
    handler:
      (parts) =>
      async ({ params: { crawlId, place } }) => {
        if ((await findCrawl(parts.pool, crawlId)) === null) noSuchCrawl(crawlId);
        if (!(await takeSession(parts.pool, Number(crawlId), place)))
          throw new HttpProblem(404, `Crawl ${crawlId} has no session at ${place}.`);
        return sessionsOf(parts, crawlId);
      },
  }),
];
