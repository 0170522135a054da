/**
 * For whom this process works now, so that statements count for the tenant who caused them without every function
 * between a route and Postgres handing the tenant on. Work of nobody (keys, quotas, health) counts for no tenant.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { FairTurns } from '../../domain/fair-turns.ts';
import type { TakeTurn } from '../../storage/postgres/index.ts';
import { HttpProblem } from './problem.ts';

const tenantAtWork = new AsyncLocalStorage<number>();

export const forTenant = <T>(tenantId: number, work: () => T): T => tenantAtWork.run(tenantId, work);

/** Connections that no tenant takes: those for keys, the audit log, quotas and health. */
const spared = 2;
/**
 * Milliseconds to wait for a connection, as long as for a server that gives none. A request that holds one connection
 * and wants another would otherwise wait for ever, if all connections of its tenant are held by such requests.
 */
const longestWaitMs = 5_000;

/** One tenant takes half of the connections of a pool at most, and who waits for one gets it in fair turns by tenant. */
export function connectionTurns(poolSize: number, waitMs = longestWaitMs): TakeTurn {
  const turns = new FairTurns({
    atOnce: poolSize - spared,
    atOnceOfOne: Math.floor(poolSize / 2),
    // Requests are refused at the way in, where nothing has been done yet.
    waiting: Infinity,
    waitingOfOne: Infinity,
  });
  return async () => {
    const tenantId = tenantAtWork.getStore();
    if (tenantId === undefined) return () => undefined;
    const turn = turns.join(tenantId);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      turn.end();
      late.reject(
        new HttpProblem(503, 'Other requests of your tenant keep the database busy. Try again soon.', {
          kind: 'busy',
        }),
      );
    }, waitMs);
    try {
      await Promise.race([turn.begins, late.promise]);
    } finally {
      clearTimeout(timer);
    }
    return () => {
      turn.end();
    };
  };
}
