/** The API process: settings from the environment, one server, a graceful end on SIGTERM or SIGINT. */
import { Client, Connection } from '@temporalio/client';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { actOnHost } from '../activities/act-on-host.ts';
import { linkedToConsole } from '../activities/console-link.ts';
import { createVersionReader } from '../engine/changes/read-version.ts';
import { metrics } from '../engine/metrics/list.ts';
import { scrapeOf, serveMetrics } from '../engine/metrics/scrape.ts';
import { createTextReader } from '../engine/page-text.ts';
import { aside } from '../content/aside.ts';
import { wakeHost } from '../activities/wake-host.ts';
import {
  bucketOf,
  openSearchOf,
  capDefaultsOf,
  ConfigError,
  loadServiceConfig,
  regionsOf,
  type ServiceConfig,
} from '../config/config.ts';
import { version } from '../config/package.ts';
import { openProcessLog } from '../config/process-log.ts';
import { secretKeysOf } from '../config/secret-key.ts';
import { metricsPorts, usualPorts } from '../config/settings/ports.ts';
import { settings } from '../config/table.ts';
import { taskQueues } from '../contracts/workflows.ts';
import { ArchiveReader, openObjects, openSegments, unpackAside } from '../storage/archive/index.ts';
import { ExportFiles } from '../storage/exports/index.ts';
import { createPool, type Pool } from '../storage/postgres/index.ts';
import { openRedis } from '../storage/redis.ts';
import { instanceId } from '../storage/instance/index.ts';
import { openIndex } from '../storage/search/index.ts';
import { SecretKeys } from '../storage/sessions/index.ts';
import { buildApp } from './app.ts';
import { createCrawlControl } from './crawls/crawl-control.ts';
import { expectKnownSchema } from './known-schema.ts';
import { createSchedulers } from './schedulers.ts';
import { provideFirstKey } from './way-in/first-key.ts';
import { createHttpServer } from './way-in/http-server.ts';
import { keep } from '../engine/chores.ts';
import { quotaWatch } from './watchers/quota-watch.ts';
import type { SharedCounts } from './way-in/rate-store.ts';
import { connectionTurns } from './way-in/tenant-at-work.ts';
import { createTokenVerifier, type VerifyToken } from './way-in/tokens.ts';

/** Connections to Postgres; further requests wait. */
const poolSize = 8;
/** Milliseconds to wait for Temporal when a host is to be woken. */
const wakeMs = 5_000;
/** Milliseconds for all calls to Temporal that one action on a host takes. */
const actMs = 15_000;
/** Milliseconds that requests under way have to finish when the process stops. */
const graceMs = 10_000;

async function main(config: ServiceConfig): Promise<void> {
  // Nothing logs headers today. Should that change, keys still stay out of the log.
  const log = openProcessLog('api', config.logLevel, [
    'req.headers.authorization',
    'req.headers.authentication',
    'req.headers["api-x-token"]',
    'headers.authorization',
    'headers.authentication',
    'headers["api-x-token"]',
  ]);
  const verifyToken = tokenVerifier(config);
  const traces =
    config.otlp === null
      ? null
      : (await import('../tracing/open.ts')).openTraces('api', config.otlp, config, log);
  const onBroken = (error: Error): void => {
    log.warn({ err: error }, 'a connection to Postgres was lost');
  };
  const onScarce = (words: string): void => {
    log.warn(words);
  };
  const turn = connectionTurns(poolSize);
  const pool = createPool(config.databaseUrl, poolSize, onBroken, { onScarce, turn });
  // Lazy: the API answers while Temporal is away, and says that it is away.
  const connection = Connection.lazy({ address: config.temporalAddress });
  const client = new Client({
    connection,
    namespace: config.temporalNamespace,
    interceptors: {
      workflow: [...linkedToConsole(config.consoleUrl).workflow, ...(traces === null ? [] : [traces.client])],
    },
  });
  const control = createCrawlControl(client, taskQueues.crawl);
  const regions = regionsOf(config);
  const apiSettings = {
    version,
    userAgent: config.userAgent,
    contact: config.contact,
    hostNames: [config.apiHost, ...config.apiNames],
    trustedProxies: config.trustedProxies,
    webhookAllowPrivate: config.webhookAllowPrivate,
    ...(config.temporalWeb !== null && {
      temporalWeb: new URL(`/namespaces/${config.temporalNamespace}/workflows/`, config.temporalWeb).href,
    }),
    shards: config.shards,
    ...(regions !== null && { regions: regions.all }),
    caps: capDefaultsOf(config),
    requestsPer10s: 2_000,
  };
  const wake = (origin: string): Promise<void> =>
    connection.withDeadline(Date.now() + wakeMs, () => wakeHost(client.workflow, origin));
  const segments = await openSegments(config.blobDir, bucketOf(config));
  const archive = new ArchiveReader(pool, segments, config.maxBodyBytes, unpackAside);
  const redis =
    config.redisUrl === null
      ? null
      : openRedis(config.redisUrl, (error) => {
          log.warn({ err: error }, 'Redis does not answer; this process counts requests by itself');
        });
  const sharedCounts = redis === null ? null : countIn(redis, pool, log);
  const stopping = new AbortController();
  const refuse = (words: string): void => {
    log.fatal(words);
    process.exit(1);
  };
  await expectKnownSchema(config.databaseUrl, refuse, stopping.signal, log);
  const server = createHttpServer(
    buildApp({
      pool,
      keys: new SecretKeys(secretKeysOf(config)),
      control,
      schedulers: createSchedulers(client),
      textOf: createTextReader(archive, (...body) => aside('shown', ...body)),
      readVersion: createVersionReader(archive, (...input) => aside('extracted', ...input)),
      archive,
      search: await openIndex(pool, openSearchOf(config)),
      exports: {
        files: new ExportFiles(config.exportDir, await openObjects(bucketOf(config))),
        days: config.exportDays,
      },
      freeBytes: () => segments.freeBytes(),
      wakeHost: wake,
      actOnHost: (...what) =>
        connection.withDeadline(Date.now() + actMs, () => actOnHost(pool, client.workflow, ...what)),
      verifyToken,
      sharedCounts,
      log,
      ...(traces !== null && { tracer: traces.tracer }),
      stopping: stopping.signal,
      settings: apiSettings,
    }),
  );
  const stopProviding = provideFirstKey({ pool, log }, config.adminKey, tellFirstKey);
  const stopWatching = keep([quotaWatch({ pool, control, log })], log);

  const port = config.apiPort ?? usualPorts.api;
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, config.apiHost, listening);
  });
  log.info({ address: config.apiHost, port }, listeningWords(config.apiHost));
  // This port asks for no key, so it serves no figures of the instance: these are at the route alone.
  const sources = { version: () => version, pools: () => [pool], freeBytes: () => segments.freeBytes() };
  const ownScrape = scrapeOf({ ...metrics.ofProcess, ...metrics.ofApi }, sources, log);
  const endMetrics = await serveMetrics(ownScrape, metricsPorts(config), log);

  await new Promise<void>((asked) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => { asked(); }); // prettier-ignore
  });
  log.info('stopping');
  stopping.abort();
  const closed = new Promise<void>((done) => server.close(() => { done(); })); // prettier-ignore
  server.closeIdleConnections();
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, graceMs);
  await closed;
  clearTimeout(cut);
  endMetrics();
  await Promise.all([stopProviding(), stopWatching()]);
  redis?.disconnect();
  await connection.close();
  await pool.end();
  await traces?.close();
}

const listeningWords = (host: string): string =>
  isLoopback(host)
    ? `listening on this machine only; ${settings.apiHost.name} opens the API to other machines`
    : 'listening to other machines; give them keys, and put TLS in front of the API';

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');

/** @throws ConfigError */
function tokenVerifier({
  jwksUrl,
  jwtIssuer,
  jwtAudience,
  jwtTenantClaim,
  jwtRoleClaim,
}: ServiceConfig): VerifyToken | null {
  if (jwksUrl === null) return null;
  if (jwtIssuer === null || jwtAudience === null) {
    const missing = jwtIssuer === null ? settings.jwtIssuer.name : settings.jwtAudience.name;
    throw new ConfigError(`${missing} must be set if ${settings.jwksUrl.name} is set.`);
  }
  return createTokenVerifier({
    jwksUrl,
    issuer: jwtIssuer,
    audience: jwtAudience,
    tenantClaim: jwtTenantClaim,
    roleClaim: jwtRoleClaim,
  });
}

function countIn(redis: Redis, pool: Pool, log: Logger): SharedCounts {
  let instance: Promise<string> | null = null;
  const read = async (): Promise<string> => {
    const [row] = await instanceId(pool);
    if (row === undefined) throw new Error('the database has no identity: table instance is empty');
    return row.id;
  };
  return {
    redis,
    instance: () =>
      (instance ??= read().catch((error: unknown) => {
        instance = null;
        throw error;
      })),
    onError: (error) => {
      log.debug({ err: error }, 'a request was not counted in Redis');
    },
  };
}

/** Written past the log, since logs are kept and read by others. */
function tellFirstKey(key: string): void {
  process.stderr.write(
    `This instance had no key yet. Its first key, for an admin, is shown only once:\n\n  ${key}\n\n` +
      'Send it as "Authorization: Bearer …". POST /v1/keys creates more keys, DELETE /v1/keys/{keyId} revokes one.\n',
  );
}

try {
  await main(loadServiceConfig());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
