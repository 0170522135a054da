/**
 * Workflows on a real Temporal whose activities answer as a script says: for ways that a workflow can go only by
 * chance, after days, or after thousands of events.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Context } from '@temporalio/activity';
import { Client, Connection, WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { loadConfig } from '../../../config/config.ts';
import { programEnvironment } from '../../../config/environment.ts';
import type {
  ControlActivities,
  DedupActivities,
  ExtractActivities,
  RenderActivities,
  FetchActivities,
} from '../../../contracts/activities.ts';
import { jobKinds, type JobActivities } from '../../../contracts/jobs.ts';
import { regionalQueue, taskQueues } from '../../../contracts/workflows.ts';
import { createNamespace } from '../../../stack/temporal.ts';
import { findTemporalCli } from '../../../stack/temporal-cli.ts';
import { until } from '../../support/until.ts';
import { save } from '../recorder.ts';
import { presentCode } from '../saved-histories.ts';

type Activities = FetchActivities &
  ControlActivities &
  DedupActivities &
  ExtractActivities &
  RenderActivities &
  JobActivities;
export type Answers = { readonly [N in keyof Activities]?: Activities[N] };
type Name = keyof Activities;

/** Visits that are sent to this region find workers there. */
export const regionWithWorkers = 'eu';

/** Events after which the server asks for a new run; far below its own value. */
export const longHistory = 200;

export interface Script {
  /** Of the history that is saved. */
  readonly name: string;
  readonly workflowId: string;
  readonly input: object;
  readonly answers: Answers;
  /** Activities that a cancellation does not cut off: they end with their answer. */
  readonly uncut?: readonly Name[];
  /** The run to save; without this, the latest. */
  readonly run?: 'first';
  act(stage: Stage): Promise<void>;
}

/** A workflow that plays its script. */
export interface Stage {
  readonly handle: WorkflowHandle;
  /** Waits until an activity was called so many times. */
  readonly called: (name: Name, times?: number) => Promise<void>;
  readonly shows: (mode: string) => Promise<void>;
  /** Waits until the run has so many events. */
  readonly events: (count: number) => Promise<void>;
  readonly ended: () => Promise<void>;
}

/** Answers, one for each call; the last one holds from then on. Errors are thrown. */
export function inTurn<T>(...answers: readonly (T | Promise<T> | Error)[]): () => Promise<T> {
  let at = 0;
  return async () => {
    const answer = await answers[Math.min(at++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer as T;
  };
}

export const always =
  <T>(answer: T) =>
  (): Promise<T> =>
    Promise.resolve(answer);

/** An answer that is given once `open` is called. */
export function gate<T>(answer: T): { readonly answer: Promise<T>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<T>();
  return {
    answer: promise,
    open: () => {
      resolve(answer);
    },
  };
}

export async function playAll(scripts: readonly Script[]): Promise<void> {
  const server = await startServer();
  const [namespace, connection] = ['scripted', await Connection.connect({ address: server.address })];
  await createNamespace(server.address, namespace);
  const native = await NativeConnection.connect({ address: server.address });
  const client = new Client({ connection, namespace });
  const company = new Company();
  const workflowBundle = { code: await presentCode() };
  const workers = await Promise.all(
    [
      ...Object.values(taskQueues),
      regionalQueue('fetch', regionWithWorkers),
      regionalQueue('trouble', regionWithWorkers),
    ].map((taskQueue) =>
      Worker.create({
        ...{ connection: native, namespace, taskQueue, workflowBundle, debugMode: true },
        activities: company.activities(),
        maxHeartbeatThrottleInterval: 500,
      }),
    ),
  );
  const running = Promise.all(workers.map((worker) => worker.run()));
  try {
    for (const script of scripts) await play(client, company, script);
  } finally {
    for (const worker of workers) worker.shutdown();
    await running;
    await native.close();
    await connection.close();
    await server.stop();
  }
}

async function play(client: Client, company: Company, script: Script): Promise<void> {
  company.learn(script);
  const [kind = ''] = script.workflowId.split('/');
  const type = kind in jobKinds ? 'job' : kind;
  const { firstExecutionRunId } = await client.workflow.start(type, {
    ...{ workflowId: script.workflowId, args: [script.input] },
    taskQueue: kind === 'host' || kind === 'webhook' ? taskQueues.control : taskQueues.crawl,
  });
  const handle = client.workflow.getHandle(script.workflowId, firstExecutionRunId, { followRuns: false });
  const last = client.workflow.getHandle(script.workflowId);
  await script.act({
    handle: last,
    called: (name, times = 1) =>
      until(`${script.name}: ${name} was called ${String(times)} times`, () => company.calls(name) >= times),
    shows: (mode) =>
      until(
        `${script.name}: it is ${mode}`,
        async () => (await last.query<{ mode: string }>('state')).mode === mode,
      ),
    events: (count) =>
      until(
        `${script.name}: ${String(count)} events`,
        async () => (await handle.describe()).historyLength >= count,
      ),
    ended: async () => {
      await handle.result().catch(() => undefined);
    },
  });
  const isOpen = async (): Promise<boolean> => (await handle.describe()).status.name === 'RUNNING';
  if (script.run === 'first') await until(`${script.name}: its run has ended`, async () => !(await isOpen()));
  await save({ client }, script.name, script.workflowId, script.run ?? 'latest');
  await last.terminate().catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
}

/** The activities, which answer as the present script says. */
class Company {
  #answers: Answers = {};
  #uncut: readonly Name[] = [];
  readonly #calls = new Map<string, number>();

  learn({ answers, uncut = [] }: Pick<Script, 'answers' | 'uncut'>): void {
    this.#answers = answers;
    this.#uncut = uncut;
    this.#calls.clear();
  }
  calls(name: string): number {
    return this.#calls.get(name) ?? 0;
  }
  activities(): Record<string, (input: never) => Promise<unknown>> {
    const names: Record<Name, true> = {
      ...{
        fetchSlice: true,
        probeHost: true,
        dedup: true,
        extract: true,
        render: true,
        work: true,
        cancelJob: true,
      },
      ...{ retireHost: true, lookAtHost: true, cutVisit: true, setHostPause: true, parkHost: true },
      ...{ unparkHost: true, dropHost: true, setHostDelay: true, countHost: true, redriveLetters: true },
      ...{ lookAtCrawl: true, setCrawlState: true, watchCrawl: true, feed: true },
      ...{ closeAccounts: true, drainCrawl: true, wakeSchedulers: true, settleCrawl: true },
    };
    return Object.fromEntries(
      Object.keys(names).map((name) => [name, (input: never) => this.#perform(name as Name, input)]),
    );
  }
  async #perform(name: Name, input: never): Promise<unknown> {
    this.#calls.set(name, this.calls(name) + 1);
    const answer = this.#answers[name];
    if (answer === undefined) throw new Error(`the script has no answer of ${name}`);
    const beats = setInterval(() => {
      Context.current().heartbeat();
    }, 500);
    try {
      const answered = (answer as (input: never) => Promise<unknown>)(input);
      if (this.#uncut.includes(name)) return await answered;
      // A cancelled activity ends as cancelled, if its answer has not come.
      return await Promise.race([answered, Context.current().cancelled]);
    } finally {
      clearInterval(beats);
    }
  }
}

async function startServer(): Promise<{ readonly address: string; stop(): Promise<void> }> {
  const { temporalCli, cacheDir } = loadConfig();
  const onProgress = (): void => undefined;
  const cli = await findTemporalCli({ setting: temporalCli, cacheDir, onProgress });
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  taken.close();
  await once(taken, 'close');
  const suggest = `limit.historyCount.suggestContinueAsNew=${String(longHistory)}`;
  const args = ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port)];
  const options = ['--log-level', 'error', '--dynamic-config-value', suggest, '--disable-config-env'];
  const server = spawn(cli, [...args, ...options, '--disable-config-file'], {
    stdio: 'ignore',
    env: programEnvironment(),
  });
  const address = `127.0.0.1:${String(port)}`;
  await until('Temporal is up', () =>
    Connection.connect({ address, connectTimeout: 1_000 }).then(
      (connection) => connection.close().then(() => true),
      () => false,
    ),
  );
  return {
    address,
    async stop() {
      server.kill('SIGTERM');
      await once(server, 'exit');
    },
  };
}
