/**
 * The whole stack in one call: first Postgres, Temporal and Redis at the same time, then the schema, then workers and
 * API. A service whose address is set is used as it is instead of being started.
 */
import { readFile } from 'node:fs/promises';
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { findBrowser } from '../browser/find.ts';
import type { Config } from '../config/config.ts';
import { programEnvironment, serviceEnvironment } from '../config/environment.ts';
import { codeRoot, entryScript } from '../config/package.ts';
import type { WorkerRole } from '../config/settings/fetching.ts';
import { usualPorts } from '../config/settings/ports.ts';
import type { PortName } from '../config/settings/ports.ts';
import { settings } from '../config/table.ts';
import { StackError, messageOf } from './errors.ts';
import { logFile, openDataFolder } from './folder.ts';
import type { DataFolder } from './folder.ts';
import { removeStackInfo, writeStackInfo } from './info.ts';
import type { StackInfo, StackOwner } from './info.ts';
import { takeMetricsPorts } from './metrics-ports.ts';
import { reservePort } from './ports.ts';
import type { ReservedPort } from './ports.ts';
import { planPostgres } from './postgres.ts';
import { ownId } from './processes.ts';
import { hasRedis, redisPart } from './redis.ts';
import { signInByKey } from './sign-in.ts';
import { createSupervisor } from './supervisor.ts';
import type { Part, StackEvent, Supervisor } from './supervisor.ts';
import { findTemporalCli } from './temporal-cli.ts';
import { temporalPart } from './temporal.ts';
import { startWebGuard, type WebGuard } from './web-guard.ts';

export interface WorkerPlan {
  /** Names its log and pid file. */
  readonly name: string;
  readonly roles: readonly WorkerRole[];
}

export interface StackOptions {
  readonly config: Config;
  readonly owner: StackOwner;
  /** Brings the schema up to date; called before workers and API start. */
  readonly migrate: (databaseUrl: string) => Promise<void>;
  readonly onEvent?: (event: StackEvent) => void;
  /** Worker processes; default: see `workerPlans`. */
  readonly workers?: readonly WorkerPlan[];
  /** Default: true. */
  readonly api?: boolean;
  /** Serve metrics even if no port is set for them. */
  readonly metrics?: boolean;
  /** `postgres`: no Temporal and no Redis are started, which reading can do without. Default: all. */
  readonly services?: 'all' | 'postgres';
  /** A backup is being restored in the data folder, and this is a part of it. */
  readonly restoring?: true;
  /** `any`: never a usual port; for tests, and for a stack beside another. */
  readonly ports?: 'usual' | 'any';
  /** Entry scripts, if they are not the project's own. */
  readonly scripts?: { readonly worker: string; readonly api: string };
  /** Ends the start: what was started is stopped, and `startStack` rejects. */
  readonly signal?: AbortSignal;
}

export interface RunningStack extends StackInfo {
  /** The config with the stack's addresses in it: what workers and API got. */
  readonly config: Config;
  /** Ports that are not the usual ones, because those were taken. */
  readonly movedPorts: readonly { readonly what: string; readonly usual: number; readonly port: number }[];
  /** Stops everything in order; `now`: by force, also while a gentle stop is going on. */
  stop(now?: boolean): Promise<void>;
  /** Resolves when the stack is stopped; rejects with a StackError when a part failed for good and all was stopped. */
  readonly done: Promise<void>;
}

/** What each port is for, and its setting. */
export const portPlans = {
  api: { what: 'the API', key: 'apiPort' },
  temporal: { what: 'Temporal', key: 'temporalPort' },
  temporalUi: { what: 'Temporal Web', key: 'temporalUiPort' },
  postgres: { what: 'Postgres', key: 'postgresPort' },
  redis: { what: 'Redis', key: 'redisPort' },
} as const satisfies Record<PortName, { what: string; key: keyof Config }>;

/** Everything that one start has taken so far, so that a failed start can give all of it back. */
interface Start {
  readonly options: StackOptions;
  readonly folder: DataFolder;
  readonly supervisor: Supervisor;
  readonly ports: Map<PortName, ReservedPort>;
  /** By the name of the process. */
  metricsPorts: ReadonlyMap<string, ReservedPort>;
  /** Where Temporal Web itself listens, behind its guard; null: it does not run. */
  web: (ReservedPort & { readonly host: string }) | null;
  guard: WebGuard | null;
  /** Null: the API is not up. */
  apiUrl: string | null;
  readonly tell: (event: StackEvent) => void;
  /** Aborted when the start is given up or the stack stops: nothing is begun after that. */
  readonly ending: AbortController;
}

/** Reserves a port for each service that is going to be started: a fixed one that is taken is refused at once. */
const takePorts = async (start: Start, withRedis: boolean): Promise<void> => {
  const { config, api = true, services = 'all' } = start.options;
  if (api) await takePort(start, 'api');
  if (config.databaseUrl === null) await takePort(start, 'postgres');
  if (config.temporalAddress === null) {
    await takePort(start, 'temporal');
    if (services === 'all') {
      await takePort(start, 'temporalUi');
      const host = hiddenHost();
      const reserved = await reservePort({ what: 'Temporal Web', fixed: null, usual: null, host });
      start.web = { ...reserved, host };
      refuseEnding(start);
    }
  }
  if (withRedis) await takePort(start, 'redis');
  const { metrics = false, workers = workerPlans(config) } = start.options;
  if (!metrics && config.metricsPort === null) return;
  const names = [...(api ? ['api'] : []), ...workers.map(({ name }) => name)];
  start.metricsPorts = await takeMetricsPorts(config.metricsPort, names);
  refuseEnding(start);
};

/**
 * A loopback address that nobody is told: what is not known by address and port cannot be asked by a page that has
 * rebound its name. Systems other than Linux have but one.
 */
const hiddenHost = (): string =>
  process.platform === 'linux'
    ? `127.${String(randomInt(1, 255))}.${String(randomInt(1, 255))}.${String(randomInt(1, 255))}`
    : '127.0.0.1';

const takePort = async (start: Start, name: PortName): Promise<void> => {
  const { config, ports = 'usual' } = start.options;
  const { what, key } = portPlans[name];
  const port = config[key];
  const reserved = await reservePort({
    what,
    fixed: port === null ? null : { port, setting: settings[key].name },
    usual: ports === 'usual' ? usualPorts[name] : null,
    host: name === 'api' ? config.apiHost : '127.0.0.1',
  });
  start.ports.set(name, reserved);
  refuseEnding(start);
};

const refuseEnding = (start: Start): void => {
  if (start.ending.signal.aborted) releasePorts(start);
  start.ending.signal.throwIfAborted();
};

const releasePorts = ({ ports, metricsPorts, web }: Start): void => {
  for (const reserved of [...ports.values(), ...metricsPorts.values()]) reserved.release();
  web?.release();
};

const portOf = ({ ports }: Start, name: PortName): number => {
  const reserved = ports.get(name);
  if (reserved === undefined) throw new Error(`no port was taken for ${name}`);
  return reserved.port;
};

const startPostgres = async (start: Start): Promise<string> => {
  const { databaseUrl } = start.options.config;
  if (databaseUrl !== null) return databaseUrl;
  const plan = await planPostgres(start.folder, portOf(start, 'postgres'));
  await start.supervisor.start(plan.part);
  await plan.createDatabase();
  return plan.url;
};

const startTemporal = async (start: Start): Promise<Pick<StackInfo, 'temporalAddress' | 'temporalUiUrl'>> => {
  const { config, services = 'all' } = start.options;
  if (config.temporalAddress !== null)
    return { temporalAddress: config.temporalAddress, temporalUiUrl: null };
  // Nobody listens at the reserved port: a caller that needs Temporal after all is refused at once.
  const { web } = start;
  if (services === 'postgres' || web === null)
    return { temporalAddress: `127.0.0.1:${String(portOf(start, 'temporal'))}`, temporalUiUrl: null };
  const cli = await findTemporalCli({
    setting: config.temporalCli,
    cacheDir: config.cacheDir,
    onProgress: (message) => {
      start.tell({ kind: 'progress', message });
    },
    signal: start.ending.signal,
  });
  const places = { frontend: portOf(start, 'temporal'), ui: web };
  await start.supervisor.start(temporalPart(start.folder, cli, places, config.temporalNamespace));
  const listen = { host: '127.0.0.1', port: portOf(start, 'temporalUi') };
  const guard = await startWebGuard({
    listen,
    web,
    names: config.apiNames,
    signIn: config.temporalUiSignIn === 'on' ? signInByKey(() => start.apiUrl) : null,
  });
  start.guard = guard;
  if (start.ending.signal.aborted) await guard.close();
  const temporalAddress = `127.0.0.1:${String(places.frontend)}`;
  return { temporalAddress, temporalUiUrl: `http://127.0.0.1:${String(listen.port)}` };
};

const startRedis = async (start: Start): Promise<string | null> => {
  const port = start.ports.get('redis')?.port;
  if (port === undefined) return start.options.config.redisUrl;
  await start.supervisor.start(redisPart(start.folder, port));
  return `redis://127.0.0.1:${String(port)}`;
};

/** MiB that the JavaScript of a process may take, and what a visit beyond the usual slots adds: 65 KB were measured. */
const heap = { mebibytes: 320, ofSlot: 0.08 };

/**
 * Keeps a worker at 360 to 720 MB: otherwise V8 would let the heap grow with the machine's memory, and the C library
 * would keep an arena of freed memory for each of its threads (measured idle: 437 MB without, 319 MB with). Most of what
 * a page leaves behind is soon garbage; with so small a limit V8 would look for garbage at every 25 MB, and spend a sixth
 * of all CPU time on it. Now V8 waits until the heap has doubled: a tenth of a crawl's CPU time less, for 60 MB.
 */
const heapLimits = ({ fetchSlots }: Config): string[] => {
  const more = Math.max(0, fetchSlots - Number(settings.fetchSlots.fallback));
  const mebibytes = heap.mebibytes + Math.ceil(more * heap.ofSlot);
  return [
    '--max-semi-space-size=16',
    `--max-old-space-size=${String(mebibytes)}`,
    '--heap-growing-percent=100',
  ];
};

/** A worker or API process of ours. A worker has 20 s to finish its requests, commit and give back its leases. */
const processPart = (name: string, script: string, config: Config, check: () => Promise<void>): Part => ({
  name,
  command: process.execPath,
  // Node 22 warns of type stripping at every start.
  args: [...heapLimits(config), '--disable-warning=ExperimentalWarning', script],
  env: { ...serviceEnvironment(config), MALLOC_ARENA_MAX: '2' },
  cwd: codeRoot,
  stopSignal: 'SIGTERM',
  takesUsr2: true,
  stopGraceMs: 20_000,
  orphanGraceSeconds: 3,
  check,
});

const answersHealthz = (apiUrl: string) => async (): Promise<void> => {
  const response = await fetch(`${apiUrl}/healthz`, { signal: AbortSignal.timeout(2000) });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the API answered ${String(response.status)}`);
};

/**
 * A worker is found by its task queues, not by an address. It counts as up when this very process has logged so, or, at
 * log levels that leave that line out, when it runs.
 */
const saysReady = (folder: DataFolder, name: string, config: Config) => async (): Promise<void> => {
  if (!['info', 'debug', 'trace'].includes(config.logLevel)) return;
  const pid = (await readFile(path.join(folder.run, `${name}.pid`), 'utf8')).trim();
  const lines = (await readFile(logFile(folder, name), 'utf8')).split('\n');
  const ready = lines.some((line) => line.includes(`"pid":${pid},`) && line.includes('"msg":"ready"'));
  if (!ready) throw new Error(`${name} is still starting`);
};

/** An address to connect to: 0.0.0.0 and :: mean all addresses, but only for listening. */
const reachableHost = (host: string): string => {
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return shown.includes(':') ? `[${shown}]` : shown;
};

/** More processes would only wait for the one Postgres and the one Temporal beside them. */
const mostReaders = 4;
/**
 * Reading takes less than half of the processor time of a page, small or large, so one process that reads keeps two cores
 * busy. One for each core compiles the same code once more, and commits smaller groups (measured: a tenth more for a
 * page, at the same rate).
 */
const coresOfReader = 2;

/**
 * One worker process decides and fetches. One renders pages, if there is a browser: it gives way to all others. Reading bodies needs neither workflows nor sockets, but 80 MB for the language
 * detector; separate processes do it.
 */
const workerPlans = ({ roles, browser }: Config): WorkerPlan[] => {
  const [first, readers] = [roles.filter((role) => role !== 'extract'), roles.includes('extract')];
  const renders = readers && browserOf({ browser }) !== null;
  const plans = [
    ...(first.length === 0 ? [] : [first]),
    ...Array.from(
      { length: readers ? Math.min(Math.ceil(availableParallelism() / coresOfReader), mostReaders) : 0 },
      () => ['extract'] as const,
    ),
  ].map((each, at) => ({ name: at === 0 ? 'worker' : `worker-${String(at + 1)}`, roles: each }));
  return renders ? [...plans, { name: 'worker-render', roles: ['render'] }] : plans;
};

/** As the worker that renders finds it. */
const browserOf = ({ browser }: Pick<Config, 'browser'>): { readonly browser: string } | null => {
  const search = findBrowser(browser, programEnvironment());
  return 'program' in search ? { browser: search.program } : null;
};

const startProcesses = async (start: Start, shared: Config): Promise<string | null> => {
  const { options, supervisor, metricsPorts } = start;
  const { workers: plans, scripts, api = true } = options;
  const ownApi = api ? `http://${reachableHost(shared.apiHost)}:${String(shared.apiPort)}` : null;
  const config: Config = {
    ...shared,
    consoleUrl: shared.consoleUrl ?? (ownApi === null ? null : `${ownApi}/console/`),
    metricsPorts: 1,
    offLimits: [
      ...shared.offLimits,
      ...Array.from(metricsPorts.values(), ({ port }) => `127.0.0.1:${String(port)}`),
    ],
  };
  const configOf = (name: string): Config => ({
    ...config,
    metricsPort: metricsPorts.get(name)?.port ?? null,
  });
  const workers = plans ?? workerPlans(config);
  const workerScript = scripts?.worker ?? entryScript('workers/main');
  const startApi = async (): Promise<string | null> => {
    if (ownApi === null) return null;
    const script = scripts?.api ?? entryScript('api/main');
    await supervisor.start(processPart('api', script, configOf('api'), answersHealthz(ownApi)));
    return ownApi;
  };
  const [apiUrl] = await Promise.all([
    startApi(),
    ...workers.map(({ name, roles }) =>
      supervisor.start(
        processPart(
          name,
          workerScript,
          { ...configOf(name), roles: [...roles] },
          saysReady(start.folder, name, config),
        ),
      ),
    ),
  ]);
  return apiUrl;
};

const startAll = async (start: Start): Promise<Omit<RunningStack, 'stop' | 'done'>> => {
  const { options, folder } = start;
  const { config: given, services = 'all' } = options;
  await takePorts(start, services === 'all' && given.redisUrl === null && hasRedis());
  const [postgresUrl, temporal, redisUrl] = await Promise.all([
    startPostgres(start).then(async (url) => {
      await options.migrate(url);
      return url;
    }),
    startTemporal(start),
    startRedis(start),
  ]);
  const config: Config = Object.freeze({
    ...options.config,
    databaseUrl: postgresUrl,
    temporalAddress: temporal.temporalAddress,
    redisUrl,
    apiPort: start.ports.get('api')?.port ?? options.config.apiPort,
    temporalUiPort: start.ports.get('temporalUi')?.port ?? options.config.temporalUiPort,
    temporalWeb: options.config.temporalWeb ?? temporal.temporalUiUrl,
    offLimits:
      start.web === null
        ? options.config.offLimits
        : [...options.config.offLimits, `${start.web.host}:${String(start.web.port)}`],
  });
  const apiUrl = await startProcesses(start, config);
  start.apiUrl = apiUrl;
  const info: StackInfo = {
    owner: options.owner,
    dataDir: folder.root,
    launcher: ownId(),
    startedAt: new Date().toISOString(),
    postgresUrl,
    temporalNamespace: config.temporalNamespace,
    redisUrl,
    apiUrl,
    hasTemporal: services === 'all' || given.temporalAddress !== null,
    hasWorkers: options.workers?.length !== 0,
    blobDir: config.blobDir,
    ...(start.metricsPorts.size > 0 && {
      metricsPorts: Object.fromEntries([...start.metricsPorts].map(([name, { port }]) => [name, port])),
    }),
    ...(options.workers === undefined && browserOf(config)),
    ...temporal,
  };
  writeStackInfo(info);
  const movedPorts = [...start.ports]
    .map(([name, { port }]) => ({ ...portPlans[name], usual: usualPorts[name], port }))
    .filter(({ key, usual, port }) => options.config[key] === null && usual !== port)
    .map(({ what, usual, port }) => ({ what, usual, port }));
  return { ...info, config, movedPorts };
};

/**
 * Starts the stack of a data folder and keeps it running until `stop`. Everything it starts ends with this process,
 * however this process ends.
 * @throws StackError if it cannot be started; what was started is then stopped
 */
export const startStack = async (options: StackOptions): Promise<RunningStack> => {
  const folder = await openDataFolder(options.config.dataDir, options.restoring);
  // A launcher that was killed has left it: whoever waits for this stack must not take it for up.
  removeStackInfo(folder.root);
  const tell = options.onEvent ?? (() => undefined);
  const supervisor = createSupervisor({ folder, startSeconds: options.config.startSeconds, onEvent: tell });
  const start: Start = {
    options,
    folder,
    supervisor,
    ports: new Map(),
    metricsPorts: new Map(),
    web: null,
    guard: null,
    apiUrl: null,
    tell,
    ending: new AbortController(),
  };

  let stopped: Promise<void> | null = null;
  const release = async (): Promise<void> => {
    start.ending.abort();
    removeStackInfo(folder.root);
    await start.guard?.close();
    await supervisor.stop();
    releasePorts(start);
    folder.lock.release();
  };
  const stop = (now = false): Promise<void> => {
    if (now) void supervisor.stop(true);
    return (stopped ??= release());
  };

  const aborted = Promise.withResolvers<never>();
  const abort = (): void => {
    aborted.reject(new StackError('The start was interrupted.'));
  };
  options.signal?.addEventListener('abort', abort);
  if (options.signal?.aborted === true) abort();
  let running;
  try {
    running = await Promise.race([startAll(start), aborted.promise, supervisor.failed]);
  } catch (error) {
    await stop();
    throw error instanceof StackError
      ? error
      : new StackError(`The stack could not be started: ${messageOf(error)}`);
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }

  const end = Promise.withResolvers<undefined>();
  end.promise.catch(() => undefined);
  supervisor.failed.catch(async (error: unknown) => {
    await stop();
    end.reject(error);
  });
  return {
    ...running,
    stop: async (now) => {
      await stop(now);
      end.resolve(undefined);
    },
    done: end.promise,
  };
};
