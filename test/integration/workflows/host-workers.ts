/** The host workflow on a real Temporal server, with activities that do nothing but what the test has them say. */
import { ApplicationFailure, Client, Connection } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ControlActivities, FetchActivities, HostHoldView, ProbeResult, SliceResult } from '../../../contracts/activities.ts'; // prettier-ignore
import { isStuck, loseVisit } from '../../../activities/start-host.ts';
import { loadConfig } from '../../../config/config.ts';
import { failureTypes } from '../../../contracts/failures.ts';
import {
  hostStateQuery,
  hostWorkflowId,
  taskQueues,
  type HostCarried,
  type HostView,
} from '../../../contracts/workflows.ts';
import { noneRedriven } from '../../../domain/dead-letter.ts';
import { workflowBundle } from '../../../workers/workflow-bundle.ts';
import { quietRuntime } from '../../support/quiet-runtime.ts';
import { createWorld, type World } from '../../support/world.ts';
import { until } from '../../support/until.ts';

export let world: World;
let connection: Connection;
let native: NativeConnection;
export let client: Client;
let workers: Worker[] = [];
let running: Promise<unknown>;

export const probeMs = 400;
export const fetched: SliceResult = {
  ...{ fetched: 1, next: 'more', waitMs: 0, delayMs: 1, queued: 0, deadLetters: 0 },
  ...{ wantedBy: { crawls: ['7', '12'], more: 3 }, lastError: null, closedBy: null },
};
export const spent = (): never => {
  throw ApplicationFailure.create({ type: failureTypes.spent, nonRetryable: true, message: 'tls: expired' });
};
export const fails: ProbeResult = { outcome: 'fails', message: 'robots.txt answers 503', waitMs: 0 };
export const answers: ProbeResult = { outcome: 'answers', message: 'robots.txt can be read', waitMs: 0 };

/** Hosts of all tests so far, and the number of this test's first. */
let [hosts, firstHost] = [0, 1];

interface Said {
  /** What happens next; the last of each goes on for ever. */
  slices: (() => SliceResult)[];
  probes: ProbeResult[];
  restMs: number;
  /** Whether the host could be given back. */
  retired: boolean[];
  /** What Postgres says of the host. */
  stands: HostHoldView;
  /** What a slice and unparking wait for, if anything. */
  holdUp: { slice?: Promise<void>; unpark?: Promise<void> };
  /** Each ends a slice that waits. */
  cuts: (() => void)[];
  /** What was called, and when. */
  calls: { readonly name: string; readonly at: number }[];
}
const unsaid = (): Said => ({
  ...{ slices: [spent], probes: [fails], restMs: 0, retired: [] },
  ...{ stands: { paused: null, parked: null }, holdUp: {}, cuts: [], calls: [] },
});
/** What the test that runs has said, and what came of it. */
export let said = unsaid();
const call = (name: string): void => void said.calls.push({ name, at: performance.now() });
export const times = (name: string): number[] =>
  said.calls.filter((each) => each.name === name).map(({ at }) => at);
const following = <T>(script: T[]): T | undefined => (script.length > 1 ? script.shift() : script[0]);
export const counts = { queued: 2, deadLetters: 1, wantedBy: fetched.wantedBy };

const control: Partial<ControlActivities> = {
  parkHost: () => {
    call('park');
    said.stands = { ...said.stands, parked: { reason: 'tls: expired', forMs: 0 } };
    return Promise.resolve({ ...counts, probeMs, restMs: said.restMs });
  },
  unparkHost: () => {
    call('unpark');
    said.stands = { ...said.stands, parked: null };
    return (said.holdUp.unpark ?? Promise.resolve()).then(() => counts);
  },
  countHost: () => Promise.resolve(counts),
  retireHost: () => {
    call('retire');
    return Promise.resolve({ retired: following(said.retired) ?? true });
  },
  lookAtHost: () => Promise.resolve({ ...counts, ...said.stands }),
  cutVisit: () => {
    call('cut');
    for (const cut of said.cuts.splice(0)) cut();
    return Promise.resolve();
  },
  setHostPause: ({ reason }) => {
    call(`pause ${String(reason)}`);
    said.stands = { ...said.stands, paused: reason };
    return Promise.resolve();
  },
  redriveLetters: ({ after, class: letterClass }) => {
    call(`redrive ${letterClass ?? 'all'}`);
    // Two calls, to be added up.
    return Promise.resolve({ ...noneRedriven, requeued: 1, next: after === null ? 'on' : null });
  },
};
const fetch: FetchActivities = {
  fetchSlice: () => {
    call('slice');
    const cut = new Promise<void>((resolve) => said.cuts.push(resolve));
    const end = said.holdUp.slice === undefined ? Promise.resolve() : Promise.race([said.holdUp.slice, cut]);
    return end.then(following(said.slices) ?? spent);
  },
  probeHost: () => {
    call('probe');
    return Promise.resolve(following(said.probes) ?? fails);
  },
};
/** Slots of their own: what is called there is told apart. */
const fetchInTrouble: FetchActivities = {
  ...fetch,
  fetchSlice: (host) => {
    call('slice in trouble');
    return fetch.fetchSlice(host);
  },
};

/** Hosts whose activities are under way, with how many. */
const atWork = new Map<string, number>();

/** Runs the activity of a host: what a worker is at cannot be lost. */
export async function working<T>(hostId: string, work: () => T | Promise<T>): Promise<T> {
  const add = (by: number) => atWork.set(hostId, (atWork.get(hostId) ?? 0) + by);
  add(1);
  try {
    return await work();
  } finally {
    add(-1);
  }
}

/** Hosts that the test has started. */
let started: { readonly hostId: string; readonly origin: string }[] = [];

/**
 * On a crowded machine the server may hand a visit out to a poll that nobody waits for any more, and never notice. There is
 * no scheduler here that does.
 */
async function findLost(): Promise<void> {
  for (const { hostId, origin } of started) {
    const stuck = (atWork.get(hostId) ?? 0) === 0 && (await isStuck(client.workflow, origin));
    if (stuck && (atWork.get(hostId) ?? 0) === 0) await loseVisit(client.workflow, hostId, origin, null);
  }
}

/** The host of an earlier test may still have a task on its way: it must not use up what this test has said. */
const ofThisTest = (activities: object): object =>
  Object.fromEntries(
    Object.entries(activities).map(([name, activity]: [string, (of: { hostId?: string }) => unknown]) => [
      name,
      (of: { hostId?: string }) => {
        if (Number(of.hostId ?? Infinity) < firstHost)
          throw ApplicationFailure.nonRetryable('the host of an earlier test');
        return working(of.hostId ?? '', () => activity(of));
      },
    ]),
  );

/** What workers of the queue of hosts do, as the test that runs has said. */
export const controlOfTest = (): object => ofThisTest(control);

/** Workers for all tests of a file; a file calls this once. @param options of the one that runs workflows */
export function hostWorkers(options: Pick<WorkerOptions, 'maxCachedWorkflows'> = {}): void {
  const ended = new AbortController();
  let finding: Promise<void>;
  beforeAll(async () => {
    quietRuntime();
    world = await createWorld();
    connection = await Connection.connect({ address: world.temporalAddress });
    client = new Client({ connection, namespace: world.namespace });
    native = await NativeConnection.connect({ address: world.temporalAddress });
    const bundle = { codePath: await workflowBundle(loadConfig().cacheDir) };
    const common = { connection: native, namespace: world.namespace };
    workers = [];
    for (const [taskQueue, activities] of [
      [taskQueues.crawl, control],
      [taskQueues.fetch, fetch],
      [taskQueues.trouble, fetchInTrouble],
    ] as const) {
      workers.push(await Worker.create({ ...common, taskQueue, activities: ofThisTest(activities) }));
    }
    const taskQueue = taskQueues.control;
    workers.push(
      await Worker.create({
        ...{ ...common, ...options },
        ...{ taskQueue, workflowBundle: bundle, activities: controlOfTest() },
      }),
    );
    running = Promise.all(workers.map((worker) => worker.run()));
    finding = (async () => {
      const { signal } = ended;
      while (!signal.aborted) {
        // A server that does not answer is asked again.
        await findLost().catch(() => undefined);
        await sleep(2_000, undefined, { signal }).catch(() => undefined);
      }
    })();
  });
  afterAll(async () => {
    ended.abort();
    await finding;
    for (const cut of said.cuts) cut();
    for (const worker of workers) worker.shutdown();
    await running;
    await native.close();
    await connection.close();
    await world.close();
  });
  beforeEach(() => {
    firstHost = hosts + 1;
    for (const cut of said.cuts) cut();
    said = unsaid();
    started = [];
  });
}

/** A host that no test had before. */
export function newHost(): { readonly hostId: string; readonly origin: string } {
  const hostId = String(++hosts);
  return { hostId, origin: `https://host-${hostId}.example` };
}

export async function start(carried?: Partial<HostCarried>) {
  const host = newHost();
  started.push(host);
  const fresh: HostCarried = {
    ...{ version: 1, paused: false, parked: false, pausedReason: null, lastError: null, troubleSince: null },
    ...{
      fetched: 0,
      deadLetters: 0,
      queued: 0,
      wantedBy: { crawls: [], more: 0 },
      delayMs: 0,
      probeMs,
      probes: 0,
      probeAt: null,
      lastProbe: null,
    },
  };
  return client.workflow.start('host', {
    workflowId: hostWorkflowId(host.origin),
    taskQueue: taskQueues.control,
    args: [{ ...host, ...(carried && { carried: { ...fresh, ...carried } }) }],
  });
}
export type Host = Awaited<ReturnType<typeof start>>;
export const view = (host: Host) => host.query(hostStateQuery) as Promise<HostView & HostCarried>;
export const parked = (host: Host) => until('it is parked', async () => (await view(host)).mode === 'parked');
export const called = (name: string, count: number) =>
  until(`${name} × ${String(count)}`, () => times(name).length >= count);
export const end = (host: Host) => host.terminate();
