/** An operator's actions on hosts (F18): on one host, or page by page on all hosts in a state or of a pattern. */
import { counted } from '../../domain/counted.ts';
import type { Response } from 'express';
import { isGrpcServiceError } from '@temporalio/client';
import {
  hostActed,
  hostActionBody,
  hostBulk,
  hostPath,
  hostsActed,
  mostHostsLooked,
  type HostActed,
  type HostAction,
  type HostBulk,
  type HostsActed,
  type HostSummary,
  type HostView,
} from '../../contracts/hosts.ts';
import { compilePattern } from '../../domain/pattern.ts';
import { hostsAfter, viewHost, hostIds } from '../../storage/hosts/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { instance } from '../way-in/access.ts';
import { noteForAudit } from '../way-in/audit-log.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json } from './answers.ts';
import { noSuchHost, unknownHost } from './hosts.ts';
import { route, type Route } from './route.ts';

const defaultAtOnce = 100;
const pageSize = 500;
/** Hosts that are acted on at the same time. */
const lanes = 8;
/** Milliseconds that one call goes on. */
const callMs = 10_000;
/** Milliseconds for which a call waits to see a single host's workflow act. */
const watchMs = 3_000;
const lookMs = 100;

const acts = (action: HostAction, id: string, summary: string): Route =>
  route({
    method: 'POST',
    path: `/v1/hosts/{origin}/${action}`,
    access: instance('operator', 'hosts'),
    id,
    summary,
    params: hostPath,
    body: hostActionBody,
    bodyIsOptional: true,
    answers: {
      200: json('The outcome, and the host as it is now.', hostActed),
      400: fails('The path does not name an origin, or the body is not valid JSON.'),
      404: unknownHost,
      503: fails('Temporal does not answer; the action may still be carried out later.'),
    },
    handler:
      (parts) =>
      ({ params: { origin }, body: { reason = null }, response }) =>
        actOnOne(parts, action, origin, reason, response),
  });

export const hostActionRoutes = [
  acts(
    'retry',
    'retryHost',
    'Try a host again now, and forget its failures, backoff and parking; its delay still holds',
  ),
  acts(
    'pause',
    'pauseHost',
    'Pause a host: no request until it is resumed; a request in flight is finished first',
  ),
  acts('resume', 'resumeHost', 'Resume a paused host; a parked host is tried again'),
  acts('drop', 'dropHost', 'Exclude all URLs that are queued at a host, for good and in all crawls'),
  route({
    method: 'POST',
    path: '/v1/hosts/bulk',
    access: instance('operator', 'hosts'),
    id: 'actOnHosts',
    summary: 'Retry, pause, resume or drop all hosts in a state, or with a matching origin, page by page',
    body: hostBulk,
    answers: {
      200: json(
        'The hosts that were changed. While `next` is not null, send the request again with it as `cursor`.',
        hostsActed,
      ),
      422: fails('The body is not valid, or names neither a state nor a pattern.'),
      503: fails('Temporal does not answer; some of the hosts may have been changed.'),
    },
    handler:
      (parts) =>
      async ({ body: wanted, response }) => {
        const answer = await actOnMany(parts, wanted);
        if (wanted.dryRun !== true)
          noteForAudit(response, `${wanted.action}: ${counted(answer.hosts.length, 'host')}`);
        return answer;
      },
  }),
];

/**
 * Whether the action would change anything. A host whose trouble is over for the moment counts: its failures still do.
 */
function isFor(action: HostAction, host: HostSummary): boolean {
  switch (action) {
    case 'retry':
      return host.state === 'parked' || host.state === 'backoff' || host.failures > 0 || host.slowdown > 0;
    case 'pause':
      return !isPaused(host);
    case 'resume':
      return true;
    case 'drop':
      return host.queued > 0;
  }
}

const isPaused = ({ state }: HostSummary): boolean => (state as string) === 'paused';

const hasCome: Readonly<Record<HostAction, (host: HostSummary) => boolean>> = {
  retry: ({ state }) => state !== 'parked' && state !== 'backoff',
  pause: isPaused,
  resume: (host) => !isPaused(host),
  drop: () => true,
};

async function actOnOne(
  { pool, actOnHost, log, settings }: Dependencies,
  action: HostAction,
  origin: string,
  reason: string | null,
  response: Response,
): Promise<HostActed> {
  const [known] = await hostIds(pool, [origin]);
  const find = async (): Promise<HostView> =>
    (known === undefined ? null : await viewHost(pool, origin, settings.regions)) ?? noSuchHost(origin);
  const before = await find();
  if (known === undefined || !isFor(action, before))
    return { action, outcome: 'unchanged', dropped: 0, more: false, host: before };
  const { dropped, more } = await reached(actOnHost({ id: String(known.id), origin }, action, reason));
  log.info({ host: origin, action, dropped }, 'an operator has acted on a host');
  noteForAudit(response, action === 'drop' ? `${counted(dropped, 'URL')} dropped` : action);
  const until = performance.now() + watchMs;
  let host = await find();
  while (!hasCome[action](host) && performance.now() < until) {
    await new Promise((wake) => setTimeout(wake, lookMs));
    host = await find();
  }
  return { action, outcome: hasCome[action](host) ? 'done' : 'accepted', dropped, more, host };
}

async function actOnMany(
  { pool, actOnHost, log }: Dependencies,
  { action, state, match, reason, dryRun = false, cursor, limit = defaultAtOnce }: HostBulk,
): Promise<HostsActed> {
  const fits = match === undefined ? () => true : compilePattern(match);
  const until = performance.now() + callMs;
  const hosts: string[] = [];
  let [unchanged, dropped, looked] = [0, 0, 0];
  let after = cursor ?? null;
  const answer = (next: string | null): HostsActed => {
    if (!dryRun)
      log.info({ action, state, match, hosts: hosts.length, dropped }, 'an operator has acted on hosts');
    return { action, hosts, unchanged, dropped, next };
  };
  for (;;) {
    const page = await hostsAfter(pool, after, state ?? null, Math.min(pageSize, mostHostsLooked - looked));
    looked += page.items.length;
    const ids = new Map(
      (await hostIds(pool, page.items.map(({ origin }) => origin))).map(({ id, origin }) => [origin, String(id)]), // prettier-ignore
    );
    for (let at = 0; at < page.items.length;) {
      const chunk: HostSummary[] = [];
      for (; at < page.items.length && chunk.length < Math.min(lanes, limit - hosts.length); at++) {
        const host = page.items[at];
        if (host === undefined || !fits(host.origin)) continue;
        if (isFor(action, host)) chunk.push(host);
        else unchanged++;
      }
      const acted = dryRun
        ? []
        : await Promise.all(
            chunk.map(({ origin }) =>
              reached(actOnHost({ id: ids.get(origin) ?? '0', origin }, action, reason ?? null)),
            ),
          );
      hosts.push(...chunk.map(({ origin }) => origin));
      dropped += acted.reduce((sum, each) => sum + each.dropped, 0);
      // The next call looks again at a host at which something is left to do.
      const unfinished = chunk.find((_, index) => acted[index]?.more === true);
      if (unfinished !== undefined) return answer(String(Number(ids.get(unfinished.origin)) - 1));
      const last = page.items[at - 1];
      if ((hosts.length >= limit || performance.now() > until) && last !== undefined)
        return answer(at === page.items.length ? page.next : (ids.get(last.origin) ?? null));
    }
    if (page.next === null || looked >= mostHostsLooked) return answer(page.next);
    after = page.next;
  }
}

/** @throws HttpProblem where Temporal does not answer */
async function reached<T>(acting: Promise<T>): Promise<T> {
  try {
    return await acting;
  } catch (error) {
    if (!isGrpcServiceError(error) && !(error instanceof Error && isGrpcServiceError(error.cause)))
      throw error;
    throw new HttpProblem(
      503,
      'Temporal does not answer; the action may still be carried out later. Try again soon.',
    );
  }
}
