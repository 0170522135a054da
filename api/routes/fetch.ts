/** One page: from the archive if it is young enough, else fetched as politely as any, and waited for. */
import type { Request, Response } from 'express';
import {
  fetchedPage,
  fetchPath,
  fetchQuery,
  fetchRequest,
  lookAgainSeconds,
  waitingFetch,
  type FetchedPage,
  type WaitingFetch,
} from '../../contracts/http/fetch.ts';
import { canonicalize } from '../../domain/url.ts';
import { findPageFetch } from '../../storage/fetches/index.ts';
import type { Parts } from '../dependencies.ts';
import { instantsNow, PageFetches, type Fetch } from '../fetches/page-fetches.ts';
import { operator, reader } from '../way-in/access.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { turnsOf } from '../way-in/turns.ts';
import { fails, json } from './answers.ts';
import { refuseUncrawlable } from './crawlable.ts';
import { answered, route } from './route.ts';

const page = json(
  'The page. Whatever status the host has answered with, that is an answer: `page.status` says it, and `page.state` and `page.reason` say what crawls make of it.',
  fetchedPage,
);
const notYet = json(
  'The page is not there yet, and why. Location is where it will be; the fetch goes on.',
  waitingFetch,
  'Location',
  'Retry-After',
);
const failures = {
  409: fails('The crawl that was to fetch the page was cancelled.'),
  502: fails('The page could not be had, as often as it was tried: code `page-failed`.'),
};
const refusedInWords =
  'the page is not fetched (code `page-refused`): robots.txt forbids it, its site has opted out, its address may not be reached, its body is too large, and the like. `reason` is the code, `detail` the words';

/** One for an application, so that one look at the database is for all that wait. */
const known = new WeakMap<Parts, PageFetches>();
function fetchesOf(parts: Parts): PageFetches {
  const fetches = known.get(parts) ?? new PageFetches(parts);
  known.set(parts, fetches);
  return fetches;
}

export const fetchRoutes = [
  route({
    method: 'POST',
    path: '/v1/fetch',
    access: operator('crawls'),
    id: 'fetchPage',
    summary:
      'One page as Markdown, text, HTML or JSON: from the archive if a visit is young enough, else fetched politely and waited for',
    body: fetchRequest,
    answers: {
      200: page,
      202: notYet,
      ...failures,
      422: fails(`The body is not valid, the URL cannot be crawled, or ${refusedInWords}.`),
    },
    handler: (parts) => {
      const fetches = fetchesOf(parts);
      return async ({ body, caller: { tenantId }, request, response }) => {
        const { url, render, maxAgeSeconds, waitSeconds, ...wanted } = body;
        refuseUncrawlable(url);
        const link = canonicalize(url.trim());
        if (!link.ok) throw new Error('a URL that cannot be crawled was not refused');
        const asked = { tenantId, link: link.value, render, maxAgeSeconds, wanted };
        const instants = await instantsNow(parts, maxAgeSeconds);
        const there = await fetches.atHand(asked, instants, inTurnOf(request));
        if (there !== null) {
          response.status(200);
          return there;
        }
        const fetch = await fetches.begin(asked, instants, response);
        return waited(parts, fetches, fetch, waitSeconds, request, response);
      };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/fetch/{fetchId}',
    access: reader('crawls'),
    isDownload: true,
    id: 'getFetch',
    summary: 'A page that was asked for, or why it is not there yet',
    params: fetchPath,
    unknown: ({ fetchId = '' }) => noSuchFetch(fetchId),
    query: fetchQuery,
    answers: {
      200: page,
      202: notYet,
      404: fails('There is no such fetch; it goes with its crawl, a week after that has ended.'),
      ...failures,
      422: fails(`Because ${refusedInWords}.`),
    },
    handler: (parts) => {
      const fetches = fetchesOf(parts);
      return async ({ params: { fetchId }, query: { waitSeconds }, caller, request, response }) => {
        const [row] = await findPageFetch(parts.pool, caller.tenantId, fetchId);
        if (row === undefined) return noSuchFetch(fetchId);
        return waited(parts, fetches, fetches.found(caller, row), waitSeconds, request, response);
      };
    },
  }),
];

/**
 * A client that leaves ends the wait; the fetch goes on. Who waits gives the place of the request back, and is counted
 * among those that wait until the answer is made, so either bounds what reads bodies.
 */
async function waited(
  parts: Parts,
  fetches: PageFetches,
  fetch: Fetch,
  seconds: number,
  request: Request,
  response: Response,
): Promise<FetchedPage | WaitingFetch | typeof answered> {
  const left = new AbortController();
  response.once('close', () => {
    left.abort();
  });
  const leave = seconds === 0 ? null : fetches.enterWaits(fetch.tenantId);
  if (leave !== null) turnsOf(request)?.leavePlace();
  try {
    const deadline = leave === null ? AbortSignal.abort() : AbortSignal.timeout(seconds * 1_000);
    const signal = AbortSignal.any([left.signal, deadline, parts.stopping]);
    const walked = await fetches.wait(fetch, response, signal);
    if (response.closed || response.destroyed) return answered;
    const found = await fetches.page(fetch, walked, inTurnOf(request));
    response.status(found === null ? 202 : 200);
    if (found !== null) return found;
    response.set({ Location: `/v1/fetch/${fetch.id}`, 'Retry-After': String(lookAgainSeconds) });
    return await fetches.outlook(fetch, walked);
  } finally {
    leave?.();
  }
}

const inTurnOf =
  (request: Request) =>
  <T>(work: () => Promise<T>): Promise<T> =>
    turnsOf(request)?.inTurn(work) ?? work();

function noSuchFetch(id: string): never {
  throw new HttpProblem(404, `There is no fetch ${id}.`);
}
