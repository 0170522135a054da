/**
 * A worker process: the roles its settings name, until SIGTERM or SIGINT. Draining finishes the request in flight,
 * commits it and returns the leases. If Temporal or Postgres is away it waits for them.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker';
import { linkedToConsole } from '../activities/console-link.ts';
import { startHost } from '../activities/start-host.ts';
import { Door } from '../engine/door/door.ts';
import { metrics } from '../engine/metrics/list.ts';
import { scrapeOf, serveMetrics } from '../engine/metrics/scrape.ts';
import { loadServiceConfig } from '../config/config.ts';
import { version } from '../config/package.ts';
import { openProcessLog } from '../config/process-log.ts';
import { metricsPorts } from '../config/settings/ports.ts';
import { noteWorker } from '../storage/instance/index.ts';
import { migrate, WrongSchema } from '../storage/postgres/index.ts';
import { openDependencies } from './dependencies.ts';
import { giveWay, openBrowser } from './browser.ts';
import { announce } from './presence.ts';
import { createWorkers, doorPlaces } from './roles.ts';
import { temporalMetrics } from './temporal-metrics.ts';
import { workflowBundle } from './workflow-bundle.ts';

const given = loadServiceConfig();
const log = openProcessLog('worker', given.logLevel);
const traces =
  given.otlp === null
    ? null
    : (await import('../tracing/open.ts')).openTraces('worker', given.otlp, given, log);
const logger = new DefaultLogger('WARN', ({ level, message, meta: { error, ...facts } = {} }) => {
  log[level === 'ERROR' ? 'error' : 'warn'](
    { ...facts, ...(error !== undefined && { err: error as unknown }) },
    message,
  );
});
// The native part of the SDK would write coloured text of its own.
const logging = { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) };
const temporal = given.metricsPort === null ? null : await temporalMetrics();
const telemetryOptions = { logging, ...(temporal !== null && { metrics: temporal.exporter }) };
Runtime.install({ logger, telemetryOptions, shutdownSignals: [] });

if (given.roles.join() === 'render') giveWay(log);
const renderer = given.roles.includes('render') ? await openBrowser(given, log) : null;
// A process without a browser does the rest of its work, or none, and says so: nobody then waits for it.
const roles = given.roles.filter((role) => role !== 'render' || renderer !== null);
const offLimits = temporal === null ? given.offLimits : [...given.offLimits, temporal.place];
const config = { ...given, roles, offLimits };

let stopping = false;
let drain = (): void => undefined;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    log.info({ signal }, 'draining');
    stopping = true;
    drain();
  });
}

/** Tries until it works or the process is told to stop; every few seconds logs what is missing. Where no trying helps, the process ends. */
async function untilReady<T>(what: string, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (stopping) throw error;
      if (error instanceof WrongSchema) {
        log.fatal(error.message);
        process.exit(1);
      }
      if (tries % 10 === 0) log.warn({ err: error }, `waiting for ${what}`);
      await sleep(500);
    }
  }
}

// Neither side of a loopback or data-centre connection gains from compressing small messages.
const worker = await untilReady('Temporal', () =>
  NativeConnection.connect({ address: config.temporalAddress, grpcCompression: { codec: 'none' } }),
);
const client = Connection.lazy({ address: config.temporalAddress });
const { workflow, schedule } = new Client({
  connection: client,
  namespace: config.temporalNamespace,
  interceptors: linkedToConsole(config.consoleUrl),
});
await untilReady('Postgres', () => migrate(config.databaseUrl));
const processId = randomUUID();
const opened = await openDependencies(config, processId, { workflow, schedule }, log, traces?.tracer);
const { dependencies, control, feeding, post, exports } = opened;
const tools = { config, dependencies, control, feeding, post, exports, renderer, traces };
const scrape = scrapeOf(
  { ...metrics.ofProcess, ...metrics.ofWorker },
  {
    version: () => version,
    pools: () => opened.pools,
    freeBytes: () => opened.freeBytes(),
    dns: () => opened.dns(),
    outages: () => opened.outages(),
  },
  log,
  temporal?.read,
);
const endMetrics = await serveMetrics(scrape, metricsPorts(config), log);
const bundle = config.roles.includes('control') ? await workflowBundle(config.cacheDir) : '';
const workers = await untilReady('the Temporal namespace', async () => {
  // Asked first: workers that cannot be made leave their threads behind, and a day of tries took all memory.
  await client.workflowService.describeNamespace({ namespace: config.temporalNamespace });
  return createWorkers({ ...tools, worker, workflow, bundle });
});

const door = config.roles.includes('fetch')
  ? new Door(
      dependencies,
      (hostId, origin, spent) => startHost(workflow, hostId, origin, spent),
      doorPlaces(config.fetchSlots),
    )
  : null;
/** Ends when the process is told to stop, where it has no other work. */
const idle = Promise.withResolvers<undefined>();
drain = () => {
  idle.resolve(undefined);
  void door?.close();
  for (const each of workers) if (each.getState() === 'RUNNING') each.shutdown();
};
const fetching = config.roles.includes('fetch')
  ? {
      loads: () => dependencies.pressure.loads,
      regions: dependencies.regions,
      outages: opened.outages,
    }
  : null;
// A worker that fails takes the process down: a half-dead one would hold work it does not do. The supervisor restarts it.
const running = workers.length === 0 ? [idle.promise] : workers.map((each) => each.run());
const takesWork = (): boolean => workers.every((each) => each.getState() === 'RUNNING');
const alive = config.aliveFile === null ? null : { file: config.aliveFile, takesWork };
// Nobody waits for a browser that starts no more.
const ableRoles = () => roles.filter((role) => role !== 'render' || renderer?.serves() === true);
const leave = announce(dependencies.pool, processId, ableRoles, dependencies.folder, fetching, alive, log);
// Whoever waits for it to be ready finds it among the workers, and its browser with it.
await untilReady('Postgres', () =>
  noteWorker(dependencies.pool, processId, ableRoles(), dependencies.folder),
);
log.info({ roles: config.roles }, 'ready');
// eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set by a signal meanwhile
if (stopping) drain();
const failed = Promise.all(running).catch((error: unknown) => {
  log.error({ err: error }, 'a worker failed');
  process.exitCode = 1;
  drain();
});
await failed;
await Promise.allSettled(running);
await door?.close();
await leave(process.exitCode === 1);
await renderer?.close();
endMetrics();
await opened.close();
await traces?.close();
await client.close();
await worker.close();
log.info('drained');
