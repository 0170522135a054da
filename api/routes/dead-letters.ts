/** Dead letters: URLs that were given up, with their evidence, and the re-drive. */
import { closedCrawlStates } from '../../contracts/crawl.ts';
import {
  deadLetterList,
  deadLetterQuery,
  defaultDeadLetterLimit,
  hostDeadLetterQuery,
  newRedrive,
  redriveAnswer,
  type NewRedrive,
  type RedriveAnswer,
} from '../../contracts/dead-letters.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { defaultTenant } from '../../contracts/tenancy.ts';
import { restMs, restingClass } from '../../domain/dead-letter.ts';
import { canonicalize } from '../../domain/url.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import {
  readDeadLetters,
  type DeadLetterPage,
  chooseLetters,
  crawlBar,
} from '../../storage/letters/index.ts';
import { urlKey } from '../../contracts/url-key.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { hostIds } from '../../storage/hosts/index.ts';
import { ControlError } from '../crawls/crawl-control.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { refuseToGrow, refuseToReopen } from '../crawls/quotas.ts';
import type { Dependencies } from '../dependencies.ts';
import { instance, operator, reader } from '../way-in/access.ts';
import type { Caller } from '../way-in/caller.ts';
import { badCursor, HttpProblem } from '../way-in/problem.ts';
import { fails, json } from './answers.ts';
import { route } from './route.ts';

const listSummary = 'URLs that a crawl gave up, with class and evidence, host by host';

export const deadLetterRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/dead-letters',
    access: reader('crawls'),
    id: 'listDeadLetters',
    summary: listSummary,
    params: crawlPath,
    query: deadLetterQuery,
    answers: { 200: json(listSummary, deadLetterList) },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, query }) => {
        if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
        const hostId = query.host === undefined ? null : await idOf(pool, query.host);
        const filter = { crawlId, hostId, class: query.class ?? null, key: null };
        const unmet = query.host !== undefined && hostId === null;
        const { cursor = null, limit = defaultDeadLetterLimit } = query;
        return unmet ? nothing : goodPage(await readDeadLetters(pool, filter, cursor, limit));
      },
  }),
  route({
    method: 'POST',
    path: '/v1/crawls/{crawlId}/dead-letters/redrive',
    access: operator('crawls'),
    id: 'redriveDeadLetters',
    summary:
      'Queue dead letters of a crawl again: all of them, or those of a URL, a class, a host, or a class at a host',
    params: crawlPath,
    body: newRedrive,
    bodyIsOptional: true,
    answers: {
      200: json('The re-drive is done.', redriveAnswer),
      202: json('The re-drive goes on by itself.', redriveAnswer),
      404: fails('There is no such crawl, or no dead letter of that URL.'),
      409: fails(
        'The crawl cannot go on, another re-drive of it is still running, or the server refused the URL less than seven days ago.',
      ),
      503: fails('Temporal does not answer, so nothing was queued.'),
    },
    countsQuotas: true,
    handler:
      (parts) =>
      async ({ params: { crawlId }, body: choice, caller, response }) => {
        const { pool } = parts;
        const state = (await findCrawl(pool, crawlId))?.state;
        const isOver = state !== undefined && closedCrawlStates.includes(state);
        await (isOver ? refuseToReopen : refuseToGrow)(pool, response, caller.tenantId, caller.quotas);
        const answer = await redrive(parts, crawlId, choice, mayUnpark(caller));
        response.status(answer.done ? 200 : 202);
        return answer;
      },
  }),
  route({
    method: 'GET',
    path: '/v1/dead-letters',
    access: instance('operator', 'hosts'),
    id: 'listHostDeadLetters',
    summary: 'Dead letters of one host, from all crawls',
    query: hostDeadLetterQuery,
    answers: { 200: json('Dead letters.', deadLetterList) },
    handler:
      ({ pool }) =>
      async ({
        query: { host, class: letterClass = null, cursor = null, limit = defaultDeadLetterLimit },
      }) => {
        const hostId = await idOf(pool, host);
        if (hostId === null) return nothing;
        const filter = { crawlId: null, hostId, class: letterClass, key: null };
        return goodPage(await readDeadLetters(pool, filter, cursor, limit));
      },
  }),
];

async function idOf(pool: Pool, origin: string): Promise<string | null> {
  const [host] = await hostIds(pool, [origin]);
  return host === undefined ? null : String(host.id);
}

const nothing: DeadLetterPage = { items: [], next: null };

function goodPage(page: DeadLetterPage | 'bad-cursor'): DeadLetterPage {
  if (page === 'bad-cursor') badCursor();
  return page;
}

async function redrive(
  { pool, control, log }: Dependencies,
  crawlId: string,
  choice: NewRedrive,
  unparks: boolean,
): Promise<RedriveAnswer> {
  const found = await crawlBar(pool, crawlId);
  if (found === 'unknown-crawl') return noSuchCrawl(crawlId);
  if (found.bar !== null) {
    throw new HttpProblem(409, `Crawl ${crawlId} ${found.bar}: its dead letters cannot be queued again.`);
  }
  if (choice.url !== undefined) await expectReady(pool, crawlId, choice.url);
  const input = {
    crawlId,
    origin: choice.host ?? null,
    class: choice.class ?? null,
    url: choice.url ?? null,
    mayUnpark: unparks,
  };
  try {
    const { done, view } = await control.redrive(input);
    log.info(
      {
        crawlId,
        host: input.origin,
        url: input.url,
        class: input.class,
        done,
        queued: view.requeued,
      },
      'dead letters were queued again',
    );
    return {
      crawlId,
      done,
      queued: view.requeued,
      waitingAtParkedHosts: view.atParked,
      resting: view.resting,
      notBefore: view.notBefore === null ? null : new Date(view.notBefore).toISOString(),
      unparked: view.unparked,
    };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const conflict = error.fault === 'refused';
    throw new HttpProblem(conflict ? 409 : 503, `Crawl ${crawlId}: ${error.message}.`);
  }
}

/**
 * All tenants share a host: only callers who may change its settings may ignore the time that the host has asked for.
 */
const mayUnpark = ({ tenantId, scopes }: Caller): boolean =>
  tenantId === defaultTenant && (scopes === null || scopes.includes('hosts'));

/** A caller who asks for one URL by name is told why it would not be fetched. */
async function expectReady(pool: Pool, crawlId: string, url: string): Promise<void> {
  const link = canonicalize(url);
  const [host] = link.ok ? await hostIds(pool, [link.value.host]) : [];
  const key = link.ok ? urlKey(link.value.canonical).toString('hex') : '';
  const filter = { crawlId, hostId: String(host?.id ?? 0), class: null, key };
  const [letter] = host === undefined ? [] : await chooseLetters(pool, filter, null, 1);
  if (letter === undefined)
    throw new HttpProblem(
      404,
      `Crawl ${crawlId} has no dead letter of ${url}; explain says what became of the URL.`,
    );
  if (letter.class === restingClass && letter.age_ms < restMs) {
    const notBefore = new Date(Date.now() - letter.age_ms + restMs).toISOString();
    throw new HttpProblem(
      409,
      `The server refused ${url} less than seven days ago: the URL cannot be queued again before ${notBefore}.`,
    );
  }
}
