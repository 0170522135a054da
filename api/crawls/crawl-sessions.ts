/** Sessions of crawls: judged, kept, and what follows where a site had logged a crawl out. */
import type { Response } from 'express';
import { closedCrawlStates } from '../../contracts/crawl.ts';
import { defaultTenant } from '../../contracts/tenancy.ts';
import type { NewSession, SessionsView } from '../../contracts/http/sessions.ts';
import { partsOf } from '../../engine/sessions/session-parts.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { claimIdleHosts } from '../../storage/feeding/index.ts';
import {
  countLoggedOut,
  listSessions,
  loggedOutHosts,
  mostPlaces,
  NoKey,
  type Renewed,
  type SessionPart,
} from '../../storage/sessions/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { wake } from '../wake.ts';
import type { Caller } from '../way-in/caller.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { noSuchCrawl } from './crawl-ids.ts';
import { refuseToReopen } from './quotas.ts';

/** Hosts that have logged a crawl out which a look shows. */
const hostsShown = 100;

/** @throws HttpProblem that shows no part of a secret */
export function readSessions(tenantId: number, given: readonly NewSession[]): readonly SessionPart[] {
  // What comes by a proxy is believed of a host that all tenants share, and the proxy may stand in the network of the workers.
  if (tenantId !== defaultTenant && given.some(({ proxy }) => proxy !== undefined))
    throw new HttpProblem(403, 'proxy: only crawls of the first tenant may go by a proxy.', {
      kind: 'forbidden',
    });
  return given.flatMap((each) => {
    const read = partsOf(each);
    if (!read.ok) throw new HttpProblem(422, `${read.problem}.`);
    return read.parts;
  });
}

export const tooManyPlaces = (): never => {
  throw new HttpProblem(
    422,
    `The crawl would have sessions at more than ${String(mostPlaces)} places. Leave out the cookies of hosts that it does not visit.`,
  );
};

/** Runs what seals secrets. @throws HttpProblem if there is no key to seal by */
export const sealing = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw error instanceof NoKey ? new HttpProblem(503, `No session can be kept: ${error.message}.`) : error;
  });

/** Has the crawl go on where another session lets it in. @param renew false: nothing was changed @throws HttpProblem */
export async function renewSession(
  parts: Dependencies,
  response: Response,
  { tenantId, quotas }: Caller,
  crawlId: string,
  renew: (tell: (renewed: Renewed) => Promise<void>) => Promise<boolean>,
): Promise<SessionsView> {
  const { pool, control } = parts;
  const crawl = (await findCrawl(pool, crawlId)) ?? noSuchCrawl(crawlId);
  if (closedCrawlStates.includes(crawl.state)) await refuseToReopen(pool, response, tenantId, quotas);
  const tell = async ({ hosts, reopened }: Renewed): Promise<void> => {
    if (reopened) await control.reopen(crawlId);
    const idle = await claimIdleHosts(pool, hosts);
    await Promise.all(idle.map(({ origin }) => wake(parts, origin)));
  };
  if (!(await sealing(() => renew(tell)))) tooManyPlaces();
  return sessionsOf(parts, crawlId);
}

export async function sessionsOf(
  { pool }: Pick<Dependencies, 'pool'>,
  crawlId: string,
): Promise<SessionsView> {
  const [rows, [all], out] = await Promise.all([
    listSessions(pool, crawlId),
    countLoggedOut(pool, crawlId),
    loggedOutHosts(pool, crawlId, 0, hostsShown),
  ]);
  return {
    sessions: rows.map(({ place, kind, names, created_at: created, ends_at: ends, key_id: keyId }) => ({
      place,
      kind,
      keyId,
      names: [...names],
      createdAt: created.toISOString(),
      endsAt: ends?.toISOString() ?? null,
    })),
    loggedOutHosts: all?.hosts ?? 0,
    loggedOut: out.map(({ origin, since, why, queued }) => ({
      origin,
      why,
      queued,
      since: since.toISOString(),
    })),
  };
}
