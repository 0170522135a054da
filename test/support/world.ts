/**
 * The world of a test file on the shared stack: a database cloned from the migrated template, and a Temporal namespace.
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { createNamespace } from '../../stack/temporal.ts';
import { createPool, type Pool } from '../../storage/postgres/index.ts';
import { given } from './given.ts';

export interface Database {
  readonly databaseUrl: string;
  readonly redisUrl: string | null;
  /** Drops the database, even if programs are still connected to it. */
  close(): Promise<void>;
}

export interface World extends Database {
  readonly temporalAddress: string;
  readonly namespace: string;
}

const maintain = async (statement: string, database = 'postgres'): Promise<void> => {
  const url = new URL(inject('stack').templateUrl);
  url.pathname = `/${database}`;
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};

/** A database alone: most tests need nothing of Temporal, which works for each namespace. */
export async function createDatabase(name = `test_${randomBytes(6).toString('hex')}`): Promise<Database> {
  const { templateUrl, redisUrl, isInMemory } = inject('stack');
  const template = new URL(templateUrl).pathname.slice(1);
  // Copied through the log it costs three times as much processor time; file by file it waits long for a disk.
  const strategy = isInMemory ? 'file_copy' : 'wal_log';
  await maintain(`create database ${name} template ${template} strategy ${strategy}`);
  // Worlds share one Redis, which tells instances apart by this id: crawl 2 of another world is not crawl 2 of this
  // world.
  await maintain('update instance set id = gen_random_uuid()', name);
  const url = new URL(templateUrl);
  url.pathname = `/${name}`;
  return {
    databaseUrl: url.href,
    redisUrl,
    close: () => maintain(`drop database if exists ${name} with (force)`),
  };
}

/** Makes a world; takes about a quarter of a second. */
export async function createWorld(): Promise<World> {
  const { temporalAddress } = inject('stack');
  const namespace = `test_${randomBytes(6).toString('hex')}`;
  const [database] = await Promise.all([
    createDatabase(namespace),
    createNamespace(temporalAddress, namespace),
  ]);
  return { ...database, temporalAddress, namespace };
}

/**
 * Connections to a database. A busy machine may take longer to open one than the product waits for it.
 */
export function poolOf({ databaseUrl }: Pick<Database, 'databaseUrl'>, size: number): Pool {
  const pool = createPool(databaseUrl, size, () => undefined);
  pool.options.connectionTimeoutMillis = 60_000;
  return pool;
}

/** A world for the tests of a file. */
export const withWorld = (): World => given(createWorld, (world) => world.close());

/** A database alone for the tests of a file. */
export const withDatabase = (): Database =>
  given(
    () => createDatabase(),
    (database) => database.close(),
  );

/** Connections to a database for the tests of a file. */
export const withPool = (database: Pick<Database, 'databaseUrl'> = withDatabase(), size = 8): Pool =>
  given(
    () => Promise.resolve(poolOf(database, size)),
    (pool) => pool.end(),
  );
