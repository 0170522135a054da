/** The API process: settings from the environment, one server, a graceful end on SIGTERM or SIGINT. */
import { createServer } from 'node:http';
import { Client, Connection } from '@temporalio/client';
import pino from 'pino';
import { loadServiceConfig, type ServiceConfig } from '../config/config.ts';
import { version } from '../config/package.ts';
import { usualPorts } from '../config/table.ts';
import { taskQueues } from '../contracts/workflows.ts';
import { createPool } from '../storage/pool.ts';
import { buildApp } from './app.ts';
import { createCrawlControl } from './crawl-control.ts';
import { adoptOrphans } from './orphans.ts';

/** Connections to Postgres; requests beyond that wait. */
const poolSize = 8;
/** Milliseconds that requests under way get at the end. */
const graceMs = 10_000;

async function main(config: ServiceConfig): Promise<void> {
  const log = pino({ name: 'api', level: config.logLevel });
  const pool = createPool(config.databaseUrl, poolSize, (error) => {
    log.warn({ err: error }, 'a connection to Postgres was lost');
  });
  // Lazy: the API stands while Temporal is away, and says so.
  const connection = Connection.lazy({ address: config.temporalAddress });
  const client = new Client({ connection, namespace: config.temporalNamespace });
  const control = createCrawlControl(client, taskQueues.control);
  const settings = {
    version,
    userAgent: config.userAgent,
    hostNames: [config.apiHost],
    requestsPer10s: 2_000,
  };
  const server = createServer(buildApp({ pool, control, log, settings }));
  const stopAdopting = adoptOrphans({ pool, control, log });

  const port = config.apiPort ?? usualPorts.api;
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, config.apiHost, listening);
  });
  log.info({ host: config.apiHost, port }, 'listening');

  await new Promise<void>((asked) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => { asked(); }); // prettier-ignore
  });
  log.info('stopping');
  const closed = new Promise<void>((done) => server.close(() => { done(); })); // prettier-ignore
  server.closeIdleConnections();
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, graceMs);
  await closed;
  clearTimeout(cut);
  await stopAdopting();
  await connection.close();
  await pool.end();
}

try {
  await main(loadServiceConfig());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
