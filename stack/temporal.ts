/**
 * The embedded Temporal: the CLI's development server on a file, and the settings of its namespace that our workflows
 * need.
 */
import { mkdirSync } from 'node:fs';
import { totalmem } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { programEnvironment } from '../config/environment.ts';
import { searchAttributes } from '../contracts/workflows.ts';
import { StackError, messageOf } from './errors.ts';
import type { DataFolder } from './folder.ts';
import type { Part } from './supervisor.ts';

/** Closed workflow runs stay readable for so long. The development server's own value is one day. */
const retention = '30 days';

/** temporal.api.enums.v1.IndexedValueType */
const indexedValueType = { KEYWORD: 2, INT: 3, DATETIME: 6 } as const;

/** gRPC status codes (google.rpc.Code) */
const grpc = { invalidArgument: 3, notFound: 5, alreadyExists: 6 } as const;

/** grpc.health.v1.HealthCheckResponse.ServingStatus */
const healthServing = 1;

/**
 * MiB that the server may take before it collects garbage more often than GOGC says: a sixteenth of the machine, at
 * least 512. At its limit it collects nearly all the time: 80 % of its processor time, in a run of all tests with 512.
 */
const memoryMiB = (): number => {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return Math.max(512, Math.floor(machine / 16 / 1024 ** 2));
};

/** Milliseconds. A server that has just come up answers some calls only after it has filled its caches. */
const settleMs = 20_000;
const askEveryMs = 50;

const grpcStatus = (error: unknown): number | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : null;

/** Connections of the Node client are not compressed unless asked; connections of workers are (see workers/). */
const withConnection = async <T>(
  address: string,
  use: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const connection = await Connection.connect({ address, connectTimeout: 5000 });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
};

/** Answers once the server takes workflow calls: the gRPC health service speaks for the frontend. */
const checkHealth = (address: string): Promise<void> =>
  withConnection(address, async (connection) => {
    const { status }: { status: number } = await connection.healthService.check({
      service: 'temporal.api.workflowservice.v1.WorkflowService',
    });
    if (status !== healthServing) throw new Error('Temporal is not serving yet');
  });

/**
 * What SQLite answers when the deadline of a call has interrupted it. The development server has one connection; if the
 * interrupted statement stays open, on a machine that is very busy, every later one is answered with this, for ever.
 */
const interrupted = 'interrupted (9)';

const isStuck = (address: string, namespace: string): Promise<boolean> =>
  withConnection(address, async (connection) => {
    await connection.workflowService.describeNamespace({ namespace });
    return false;
  }).catch((error: unknown) => messageOf(error).includes(interrupted));

/** True if the visibility store takes queries by our search attributes. */
const usable = async (connection: Connection, namespace: string): Promise<boolean> => {
  const known = Object.entries(searchAttributes).map(([name, type]) =>
    type === 'INT'
      ? `${name} = 0`
      : type === 'DATETIME'
        ? `${name} = '2000-01-01T00:00:00Z'`
        : `${name} = 'x'`,
  );
  try {
    await connection.workflowService.listWorkflowExecutions({
      namespace,
      pageSize: 1,
      query: known.join(' AND '),
    });
    return true;
  } catch (error) {
    const status = grpcStatus(error);
    if (status === grpc.invalidArgument || status === grpc.notFound) return false;
    throw error;
  }
};

const addSearchAttributes = async (connection: Connection, namespace: string): Promise<void> => {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(searchAttributes).filter(([name]) => !(name in customAttributes));
  if (missing.length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, indexedValueType[type]])),
    });
  } catch (error) {
    // Another process was quicker.
    if (grpcStatus(error) !== grpc.alreadyExists) throw error;
  }
};

/** Calls again while the server's caches do not know the namespace or its attributes yet. */
const settled = async (what: string, ask: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + settleMs;
  while (!(await ask())) {
    if (performance.now() > deadline)
      throw new StackError(`Temporal did not make ${what} usable in ${String(settleMs / 1000)} s.`);
    await delay(askEveryMs);
  }
};

const prepare = async (connection: Connection, namespace: string): Promise<void> => {
  await settled(`the search attributes of namespace ${namespace}`, async () => {
    if (await usable(connection, namespace)) return true;
    try {
      await addSearchAttributes(connection, namespace);
    } catch (error) {
      if (grpcStatus(error) !== grpc.notFound) throw error;
    }
    return false;
  });
};

/**
 * Makes a namespace usable for our workflows: closed runs are kept for 30 days, and every search attribute can be set
 * and queried when this resolves. Idempotent.
 */
export const prepareNamespace = (address: string, namespace: string): Promise<void> =>
  withConnection(address, async (connection) => {
    await connection.workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: msToTs(retention) },
    });
    await prepare(connection, namespace);
  });

/**
 * Makes a new namespace with our search attributes, such as one per test file. An existing namespace is used as it is.
 */
export const createNamespace = (address: string, namespace: string): Promise<void> =>
  withConnection(address, async (connection) => {
    try {
      await connection.workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: msToTs(retention),
      });
    } catch (error) {
      if (grpcStatus(error) !== grpc.alreadyExists) throw error;
    }
    await prepare(connection, namespace);
  });

export interface TemporalPlaces {
  /** Its port on 127.0.0.1. */
  readonly frontend: number;
  /** Temporal Web, which answers whoever asks: the guard alone knows where (web-guard.ts). */
  readonly ui: { readonly host: string; readonly port: number };
}

/** The part that runs the development server with its Web; up once its namespace is usable for our workflows. */
export const temporalPart = (
  folder: DataFolder,
  cli: string,
  ports: TemporalPlaces,
  namespace: string,
): Part => {
  const data = path.join(folder.root, 'temporal');
  const address = `127.0.0.1:${String(ports.frontend)}`;
  return {
    name: 'temporal',
    command: cli,
    args: [
      'server',
      'start-dev',
      '--ip',
      '127.0.0.1',
      '--port',
      String(ports.frontend),
      '--ui-ip',
      ports.ui.host,
      '--ui-port',
      String(ports.ui.port),
      '--db-filename',
      path.join(data, 'temporal.db'),
      '--sqlite-pragma',
      'journal_mode=WAL',
      '--sqlite-pragma',
      'synchronous=NORMAL',
      '--namespace',
      namespace,
      '--log-level',
      'error',
      // One partition for each task queue: on one machine, more partitions only forward tasks to each other.
      '--dynamic-config-value',
      'matching.numTaskqueueReadPartitions=1',
      '--dynamic-config-value',
      'matching.numTaskqueueWritePartitions=1',
      // Its API for plain HTTP listens on a random port, and would do whatever a web page sends there. No host is let in.
      '--dynamic-config-value',
      'frontend.httpAllowedHosts=[""]',
      '--disable-config-env',
      '--disable-config-file',
    ],
    // The program looks for files of its own under HOME.
    env: { ...programEnvironment(), HOME: data, GOGC: '400', GOMEMLIMIT: `${String(memoryMiB())}MiB` },
    cwd: data,
    prepare: () => {
      mkdirSync(data, { recursive: true, mode: 0o700 });
    },
    stopSignal: 'SIGTERM',
    stopGraceMs: 15_000,
    orphanGraceSeconds: 5,
    // At every start, not only the first: the file may have been lost while we run, and a new file does not have our
    // namespace.
    check: async () => {
      await checkHealth(address);
      await prepareNamespace(address, namespace);
    },
    stuck: () => isStuck(address, namespace),
  };
};
