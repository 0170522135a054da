/**
 * The world of a test file on the shared stack: a database cloned from the migrated template, and a Temporal namespace.
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { createNamespace } from '../../stack/temporal.ts';

export interface World {
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly namespace: string;
  readonly redisUrl: string | null;
  /** Drops the database, even if programs are still connected to it. */
  close(): Promise<void>;
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

/** Makes a world; takes about a quarter of a second. */
export const createWorld = async (): Promise<World> => {
  const { templateUrl, temporalAddress, redisUrl } = inject('stack');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const template = new URL(templateUrl).pathname.slice(1);
  await Promise.all([
    maintain(`create database ${name} template ${template}`),
    createNamespace(temporalAddress, name),
  ]);
  // Worlds share one Redis, which tells instances apart by this id: crawl 2 of another world is not crawl 2 of this
  // world.
  await maintain('update instance set id = gen_random_uuid()', name);
  const url = new URL(templateUrl);
  url.pathname = `/${name}`;
  return {
    databaseUrl: url.href,
    temporalAddress,
    namespace: name,
    redisUrl,
    close: () => maintain(`drop database if exists ${name} with (force)`),
  };
};
