/** A login that the server gives few connections. */
import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../../storage/postgres/index.ts';

export interface LimitedRole {
  /** The database, for who logs in so. */
  readonly url: string;
  /** From now on it may have so many connections. */
  give(connections: number): Promise<void>;
  /** All of its connections must have ended. */
  drop(): Promise<void>;
}

/** @param connections at most, of all processes together; it may do nothing but ask what needs no rights */
export async function addLimitedRole(
  db: Queryable,
  databaseUrl: string,
  connections: number,
): Promise<LimitedRole> {
  const name = `limited_${randomBytes(6).toString('hex')}`;
  const url = new URL(databaseUrl);
  url.username = name;
  url.password = randomBytes(12).toString('hex');
  await db.query(
    `create role ${name} login password '${url.password}' connection limit ${String(connections)}`,
  );
  return {
    url: url.href,
    give: async (more) => {
      await db.query(`alter role ${name} connection limit ${String(more)}`);
    },
    drop: async () => {
      await db.query(`drop role ${name}`);
    },
  };
}

/** Asks for nothing, and takes a moment. */
export async function askSlowly(db: Queryable): Promise<void> {
  await db.query('select pg_sleep(0.02)');
}
