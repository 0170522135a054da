/**
 * Tells whether Postgres works again, on a connection of its own, whatever state the connections of the pool are in.
 */
import { Client } from 'pg';
import { isStorageOutage } from './retry.ts';
import { writeAndForget } from './probe.sql.ts';

const limitMs = 5_000;

/**
 * Connects, and writes 4 MB that are dropped at once: a server whose disk is full, or that has become read-only, still
 * answers `select 1`. Rejects if the write fails. A role that may not write temporary tables cannot show anything, so
 * for such a role the probe passes.
 */
export async function probePostgres(databaseUrl: string): Promise<void> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'orbweaver-probe',
    connectionTimeoutMillis: limitMs,
    statement_timeout: limitMs,
    query_timeout: limitMs,
  });
  // An error between queries: the next query fails and tells.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await writeAndForget(client);
  } catch (error) {
    if (isStorageOutage(error) || isTooLate(error)) throw error;
  } finally {
    // The end would wait for the server's goodbye, which a silent server does not say.
    void client.end().catch(() => undefined);
  }
}

/** The error is query_canceled, caused by statement_timeout. */
export const isTooLate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '57014';
