/**
 * A pool behind a breaker: while the breaker is open, statements are refused at once. Statements of a transaction that
 * has begun go through, so that the transaction can end; their faults count too.
 */
import type { PoolClient } from 'pg';
import { type Pool, isStorageOutage } from '../../storage/postgres/index.ts';
import type { Breaker } from './breaker.ts';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/**
 * Internal errors (class XX) usually belong to one statement, and a transaction that was taken back (25P03) to a process
 * that stood still: they must not stop all others.
 */
export const isPostgresFault = (error: unknown): boolean =>
  isStorageOutage(error) && !/^(XX|25P03)/.test(codeOf(error));

/** A full disk and a server that takes no writes refuse every page, however many were written by one statement. */
export const refusesAllWrites = (error: unknown): boolean => /^(53100|25006)$/.test(codeOf(error));

type Call = (...params: unknown[]) => Promise<unknown>;

export function watchedPool(pool: Pool, breaker: Breaker): Pool {
  const ask = queryOf(pool);
  return withCalls(pool, {
    query: (...params) => breaker.run(() => ask(...params)),
    connect: () => breaker.run(async () => watchedClient(await pool.connect(), breaker)),
  });
}

function watchedClient(client: PoolClient, breaker: Breaker): PoolClient {
  const ask = queryOf(client);
  return withCalls(client, { query: (...params) => breaker.watch(() => ask(...params)) });
}

const queryOf = (db: Pool | PoolClient): Call => (Reflect.get(db, 'query') as Call).bind(db);

/** The same object with some methods replaced. */
const withCalls = <T extends object>(target: T, calls: Readonly<Record<string, Call>>): T =>
  new Proxy(target, {
    get: (of, property) => {
      if (typeof property === 'string' && Object.hasOwn(calls, property)) return calls[property];
      const value: unknown = Reflect.get(of, property, of);
      return typeof value === 'function' ? (value.bind(of) as unknown) : value;
    },
  });
