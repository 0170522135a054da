/** The host workflow on a real Temporal server, with activities that do nothing but what the test has them say. */
import { fileURLToPath } from 'node:url';
import { ApplicationFailure, Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ControlActivities, FetchActivities, HostStandingView, ProbeResult, SliceResult } from '../../../contracts/activities.ts'; // prettier-ignore
import { failureTypes } from '../../../contracts/failures.ts';
import {
  askHostSignal,
  hostStateQuery,
  hostWorkflowId,
  lostVisitSignal,
  pauseHostSignal,
  redriveHostUpdate,
  resumeHostSignal,
  retryHostUpdate,
  taskQueues,
  wakeSignal,
  type HostCarried,
  type HostView,
} from '../../../contracts/workflows.ts';
import { noneRedriven } from '../../../domain/dead-letter.ts';
import { createWorld, type World } from '../../support/world.ts';
import { until } from '../../support/until.ts';

let world: World;
let connection: Connection;
let native: NativeConnection;
let client: Client;
const workers: Worker[] = [];
let running: Promise<unknown>;

const probeMs = 400;
const fetched: SliceResult = {
  ...{ fetched: 1, next: 'more', waitMs: 0, delayMs: 1, queued: 0, deadLetters: 0 },
  ...{ wantedBy: { crawls: ['7', '12'], more: 3 }, lastError: null, closedBy: null },
};
const spent = (): never => {
  throw ApplicationFailure.create({ type: failureTypes.spent, nonRetryable: true, message: 'tls: expired' });
};
const fails: ProbeResult = { outcome: 'fails', message: 'robots.txt answers 503', waitMs: 0 };
const answers: ProbeResult = { outcome: 'answers', message: 'robots.txt can be read', waitMs: 0 };

/** Hosts of all tests so far, and the number of this test's first. */
let [hosts, firstHost] = [0, 1];
/** What happens next; the last of each goes on for ever. */
let slices: (() => SliceResult)[] = [];
let probes: ProbeResult[] = [];
let restMs = 0;
/** Whether the host could be given back. */
let retired: boolean[] = [];
/** What Postgres says of the host. */
let stands: HostStandingView = { paused: null, parked: null };
/** What a slice and unparking wait for, if anything. */
let holdUp: { slice?: Promise<void>; unpark?: Promise<void> } = {};
/** Each ends a slice that waits. */
let cuts: (() => void)[] = [];
/** What was called, and when. */
let calls: { readonly name: string; readonly at: number }[] = [];
const call = (name: string): void => void calls.push({ name, at: performance.now() });
const times = (name: string): number[] => calls.filter((each) => each.name === name).map(({ at }) => at);
const following = <T>(script: T[]): T | undefined => (script.length > 1 ? script.shift() : script[0]);
const counts = { queued: 2, deadLetters: 1, wantedBy: fetched.wantedBy };

const control: Partial<ControlActivities> = {
  parkHost: () => {
    call('park');
    stands = { ...stands, parked: { reason: 'tls: expired', forMs: 0 } };
    return Promise.resolve({ ...counts, probeMs, restMs });
  },
  unparkHost: () => {
    call('unpark');
    stands = { ...stands, parked: null };
    return (holdUp.unpark ?? Promise.resolve()).then(() => counts);
  },
  countHost: () => Promise.resolve(counts),
  retireHost: () => {
    call('retire');
    return Promise.resolve({ retired: following(retired) ?? true });
  },
  lookAtHost: () => Promise.resolve({ ...counts, ...stands }),
  cutVisit: () => {
    call('cut');
    for (const cut of cuts.splice(0)) cut();
    return Promise.resolve();
  },
  setHostPause: ({ reason }) => {
    call(`pause ${String(reason)}`);
    stands = { ...stands, paused: reason };
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
    const cut = new Promise<void>((resolve) => cuts.push(resolve));
    const end = holdUp.slice === undefined ? Promise.resolve() : Promise.race([holdUp.slice, cut]);
    return end.then(following(slices) ?? spent);
  },
  probeHost: () => {
    call('probe');
    return Promise.resolve(following(probes) ?? fails);
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

/** The host of an earlier test may still have a task on its way: it must not use up what this test has said. */
const ofThisTest = (activities: object): object =>
  Object.fromEntries(
    Object.entries(activities).map(([name, activity]: [string, (of: { hostId?: string }) => unknown]) => [
      name,
      (of: { hostId?: string }) => {
        if (Number(of.hostId ?? Infinity) < firstHost)
          throw ApplicationFailure.nonRetryable('the host of an earlier test');
        return activity(of);
      },
    ]),
  );

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  world = await createWorld();
  connection = await Connection.connect({ address: world.temporalAddress });
  client = new Client({ connection, namespace: world.namespace });
  native = await NativeConnection.connect({ address: world.temporalAddress });
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../../workflows/index.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  const common = { connection: native, namespace: world.namespace };
  for (const [taskQueue, activities] of [
    [taskQueues.crawl, control],
    [taskQueues.fetch, fetch],
    [taskQueues.trouble, fetchInTrouble],
  ] as const) {
    workers.push(await Worker.create({ ...common, taskQueue, activities: ofThisTest(activities) }));
  }
  const taskQueue = taskQueues.control;
  workers.push(
    await Worker.create({ ...common, taskQueue, workflowBundle, activities: ofThisTest(control) }),
  );
  running = Promise.all(workers.map((worker) => worker.run()));
});
afterAll(async () => {
  for (const cut of cuts) cut();
  for (const worker of workers) worker.shutdown();
  await running;
  await native.close();
  await connection.close();
  await world.close();
});
beforeEach(() => {
  firstHost = hosts + 1;
  [slices, probes, calls, restMs, retired] = [[spent], [fails], [], 0, []];
  for (const cut of cuts) cut();
  [stands, holdUp, cuts] = [{ paused: null, parked: null }, {}, []];
});

async function start(carried?: Partial<HostCarried>) {
  const origin = `https://host-${String(++hosts)}.example`;
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
    workflowId: hostWorkflowId(origin),
    taskQueue: taskQueues.control,
    args: [{ hostId: String(hosts), origin, ...(carried && { carried: { ...fresh, ...carried } }) }],
  });
}
type Host = Awaited<ReturnType<typeof start>>;
const view = (host: Host) => host.query(hostStateQuery) as Promise<HostView & HostCarried>;
const parked = (host: Host) => until('it is parked', async () => (await view(host)).mode === 'parked');
const called = (name: string, count: number) =>
  until(`${name} × ${String(count)}`, () => times(name).length >= count);
const end = (host: Host) => host.terminate();

describe('a parked host', () => {
  it('is probed after about 1, 2, 4 … times the first wait', async () => {
    const host = await start();
    await called('probe', 3);
    const [parkedAt = 0] = times('park');
    const [first = 0, second = 0, third = 0] = times('probe');
    expect(first - parkedAt).toBeGreaterThanOrEqual(0.85 * probeMs - 20);
    expect(second - first).toBeGreaterThanOrEqual(0.85 * 2 * probeMs - 20);
    expect(third - second).toBeGreaterThanOrEqual(0.85 * 4 * probeMs - 20);
    expect(await view(host)).toMatchObject({ mode: 'parked', lastError: 'tls: expired' });
    await until('the third is told', async () => (await view(host)).probes === 3);
    expect((await view(host)).lastProbe).toBe('robots.txt answers 503');
    await end(host);
  });

  it('is not probed at the time of those that parked with it', async () => {
    restMs = 0;
    const hosts = await Promise.all(Array.from({ length: 4 }, () => start()));
    await called('park', 4);
    await called('probe', 4);
    const waits = await Promise.all(
      hosts.map(async (host) => {
        await until('a probe has failed', async () => (await view(host)).probes > 0);
        const { events } = await host.fetchHistory();
        const timer = events?.find(({ timerStartedEventAttributes }) => timerStartedEventAttributes);
        return timer?.timerStartedEventAttributes?.startToFireTimeout?.nanos;
      }),
    );
    expect(new Set(waits).size).toBeGreaterThan(1);
    for (const host of hosts) await end(host);
  });

  it('goes on when a probe is answered, and waits longer when that was all', async () => {
    probes = [answers];
    const host = await start();
    await called('park', 3);
    expect(calls.map(({ name }) => name).filter((name) => name !== 'slice')).toEqual(
      ['park', 'probe', 'unpark', 'park', 'probe', 'unpark', 'park'], // prettier-ignore
    );
    const [, second = 0] = times('probe');
    expect(second - (times('park')[1] ?? 0)).toBeGreaterThanOrEqual(0.85 * 2 * probeMs - 20);
    await until('it waits', async () => (await view(host)).probes === 2);
    // A page begins it anew.
    slices = [() => fetched, () => ({ ...fetched, next: 'wait', waitMs: 600_000 })];
    await called('unpark', 3);
    await until('a page was fetched', async () => (await view(host)).probes === 0);
    await end(host);
  });

  it('is left alone as long as it may not be asked', async () => {
    restMs = 1_500;
    probes = [{ outcome: 'fails', message: 'not yet well', waitMs: 3_600_000 }];
    const host = await start();
    await called('probe', 1);
    expect((times('probe')[0] ?? 0) - (times('park')[0] ?? 0)).toBeGreaterThanOrEqual(restMs - 20);
    await until('it waits', async () => ((await view(host)).probeAt ?? 0) > Date.now() + 3_500_000);
    expect(await view(host)).toMatchObject({ probes: 1, nextVisit: (await view(host)).probeAt });
    await end(host);
  });

  it('that could not be asked is no probe that failed', async () => {
    probes = [{ outcome: 'not-yet', message: 'it may not be asked yet', waitMs: 5_000_000 }];
    const host = await start();
    await until('it waits', async () => ((await view(host)).probeAt ?? 0) > Date.now() + 4_900_000);
    expect(await view(host)).toMatchObject({ probes: 0, lastProbe: null });
    await end(host);
  });

  it('is not probed while it is paused, and at once tried again when that ends', async () => {
    const host = await start();
    await parked(host);
    await host.signal(pauseHostSignal, 'a rest');
    await until('it is paused', async () => (await view(host)).mode === 'paused');
    const before = times('probe').length;
    await new Promise((wake) => setTimeout(wake, 4 * probeMs));
    expect(times('probe')).toHaveLength(before);
    await host.signal(resumeHostSignal);
    await called('unpark', 1);
    await end(host);
  });

  it('waits on where it was after a continue-as-new, also for a probe that is overdue', async () => {
    const due = await start({
      parked: true,
      lastError: 'tls: expired',
      probeAt: Date.now() - 5_000,
      probes: 1,
    });
    await called('probe', 1);
    await end(due);
    const probeAt = Date.now() + 3_000_000;
    const later = await start({ parked: true, lastError: 'tls: expired', probeAt, probes: 4 });
    await parked(later);
    expect(await view(later)).toMatchObject({ probeAt, probes: 4 });
    expect(times('probe')).toHaveLength(1);
    await end(later);
  });

  it('is tried at once by `retry`, also while a probe is out', async () => {
    const host = await start();
    await called('probe', 1);
    slices = [() => ({ ...fetched, next: 'wait', waitMs: 600_000 })];
    expect(await host.executeUpdate(retryHostUpdate)).toContain('is tried again now');
    expect(await view(host)).toMatchObject({ mode: 'active', parked: false, probes: 0, probeAt: null });
    await end(host);
  });
});

describe('a parked host that a new crawl waits for', () => {
  it('is asked once, at once, beside its own probes', async () => {
    restMs = 3_600_000;
    const host = await start();
    await parked(host);
    const { probeAt } = await view(host);
    await host.signal(askHostSignal);
    await called('probe', 1);
    await until('it is told', async () => (await view(host)).lastProbe === 'robots.txt answers 503');
    expect(await view(host)).toMatchObject({ mode: 'parked', probes: 0, probeAt });
    expect(times('probe')).toHaveLength(1);
    probes = [answers];
    await host.signal(askHostSignal);
    await called('unpark', 1);
    await end(host);
  });

  it('is asked as soon as it may be, and not while it is paused', async () => {
    restMs = 3_600_000;
    const notYet: ProbeResult = { outcome: 'not-yet', message: 'it may not be asked yet', waitMs: 2_500 };
    probes = [notYet, fails];
    const host = await start();
    await parked(host);
    await host.signal(askHostSignal);
    await host.signal(askHostSignal);
    await called('probe', 2);
    const [first = 0, second = 0] = times('probe');
    expect(second - first).toBeGreaterThanOrEqual(2_480);
    await until('it is told', async () => (await view(host)).lastProbe === 'robots.txt answers 503');
    await host.signal(pauseHostSignal, 'a rest');
    await until('it is paused', async () => (await view(host)).mode === 'paused');
    await host.signal(askHostSignal);
    await host.signal(resumeHostSignal);
    await called('unpark', 1);
    expect(times('probe')).toHaveLength(2);
    await end(host);
  });
});

describe('a host in trouble', () => {
  it('is fetched from in slots of its own, until it is well again', async () => {
    const trouble: SliceResult = {
      ...fetched,
      fetched: 0,
      next: 'trouble',
      waitMs: 1,
      lastError: 'timeout: x',
    };
    const waits: SliceResult = { ...fetched, next: 'wait', waitMs: 600_000 };
    slices = [() => trouble, () => trouble, () => fetched, () => waits];
    const host = await start();
    await called('slice', 4);
    expect(calls.map(({ name }) => name)).toEqual([
      'slice',
      ...['slice in trouble', 'slice', 'slice in trouble', 'slice'],
      'slice',
    ]);
    await end(host);
  });

  it('whose retries were spent before it had a workflow is parked at once, and probed as any', async () => {
    const origin = `https://host-${String(++hosts)}.example`;
    const host = await client.workflow.start('host', {
      workflowId: hostWorkflowId(origin),
      taskQueue: taskQueues.control,
      args: [{ hostId: String(hosts), origin, spent: 'dns-not-found: no such name' }],
    });
    await called('probe', 1);
    expect(await view(host)).toMatchObject({
      mode: 'parked',
      lastError: 'dns-not-found: no such name',
      ...counts,
    });
    expect(calls.map(({ name }) => name).slice(0, 2)).toEqual(['park', 'probe']);
    await end(host);
  });
});

describe('the update `redrive`', () => {
  it('adds up calls; alone it ends the parking, with a class it does not', async () => {
    restMs = 3_600_000;
    const host = await start();
    await parked(host);
    const one = await host.executeUpdate(redriveHostUpdate, { args: [{ class: 'client-error' }] });
    expect(one).toBe('2 dead letters are queued again');
    expect(times('redrive client-error')).toHaveLength(2);
    expect(await view(host)).toMatchObject({ mode: 'parked', ...counts });
    slices = [() => ({ ...fetched, next: 'wait', waitMs: 600_000 })];
    await host.executeUpdate(redriveHostUpdate, { args: [null] });
    expect(times('unpark')).toHaveLength(1);
    await until('it goes on', async () => (await view(host)).mode === 'active');
    await end(host);
  });

  it.each([
    [{ class: 'gone' }, 'no class "gone"'],
    [{ clas: 'tls' }, 'the input must be null'],
    [[], 'the input must be null'],
    ['tls', 'the input must be null'],
    [{ url: 5 }, 'the input must be null'],
  ])('refuses %j', async (choice, words) => {
    restMs = 3_600_000;
    const host = await start();
    await parked(host);
    const update = host.executeUpdate(redriveHostUpdate, { args: [choice as object] });
    await expect(update).rejects.toMatchObject({
      cause: { message: expect.stringContaining(words) as string },
    });
    await end(host);
  });
});

describe('every state a host can be in is shown in its list, on its page and in its attributes', () => {
  const waiting = { ...fetched, fetched: 0, next: 'wait', waitMs: 3_600_000 } as const;
  const failing = (lastError: string): SliceResult => ({ ...waiting, next: 'trouble', lastError });
  const troubles = ['dns-not-found', 'dns-unavailable', 'connect-refused', 'connect-timeout', 'tls', 'timeout', 'reset',
    'overloaded', 'server-errors', 'robots-unreachable'].map((kind) => `${kind}: as it says`); // prettier-ignore

  it.each<[string, () => SliceResult, Partial<HostCarried> | undefined, string, string]>([
    ...troubles.map(
      (error): [string, () => SliceResult, undefined, string, string] =>
        [error, () => failing(error), undefined, 'backoff', `**What is wrong:** ${error}`], // prettier-ignore
    ),
    ['trouble that another slice found', () => ({ ...waiting, lastError: 'tls: expired' }), undefined, 'backoff', '**What is wrong:** tls: expired'],
    ['its windows', () => ({ ...waiting, closedBy: 'windows' }), undefined, 'closed', 'outside its opening times'],
    ['its quota', () => ({ ...waiting, closedBy: 'quota' }), undefined, 'closed', 'for this day is spent'],
    ['lent', () => ({ ...waiting, closedBy: 'lent', delayMs: null }), undefined, 'active', 'the host is lent to another fetcher'],
    ['opted out', () => ({ ...fetched, next: 'idle', closedBy: 'opt-out' }), undefined, 'opted-out', 'has opted out'],
    ['its pace', () => waiting, undefined, 'active', 'the next visit at'],
    ['crawls', () => waiting, undefined, 'active', `**Wanted by:** [crawl 7](namespaces/NAMESPACE/workflows/crawl%2F7), [crawl 12](namespaces/NAMESPACE/workflows/crawl%2F12) and 3 more`],
    ['crawls, while it is parked', spent, undefined, 'parked', '**Wanted by:** [crawl 7]'],
    ['text of others', () => failing('tls: <b>[x](http://a)'), undefined, 'backoff', 'tls: &#60;b&#62;&#91;x&#93;(http&#58;//a)'],
    ['paused', () => waiting, { paused: true, pausedReason: 'lunch' }, 'paused', '**Why paused:** lunch'],
    ['parked', spent, undefined, 'parked', '**What is wrong:** tls: expired'],
  ])('%s', async (_, slice, carried, mode, onPage) => {
    slices = [slice];
    const handle = await start(carried);
    await expect.poll(async () => (await handle.query(hostStateQuery)).mode).toBe(mode);
    const page = async (): Promise<string> =>
      (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
    await expect.poll(page).toContain(onPage.replaceAll('NAMESPACE', world.namespace.replaceAll('_', '%5F')));
    const also = mode === 'backoff' ? ' and LastError is not null and NextFetchTime is not null' : '';
    const query = `WorkflowId = "${handle.workflowId}" and CrawlState = "${mode}"${also}`;
    const listed = async (): Promise<number> => (await client.workflow.count(query)).count;
    await expect.poll(listed).toBe(1);
    if (mode !== 'opted-out') await handle.terminate();
  }); // prettier-ignore
});

describe('a cancellation', () => {
  const wait = (next: SliceResult['next']) => (): SliceResult => ({ ...fetched, next, waitMs: 600_000, lastError: next === 'trouble' ? 'tls: expired' : null }); // prettier-ignore
  const forEver = (): Promise<void> => new Promise(() => undefined);
  const fail = (): never => {
    throw ApplicationFailure.create({ type: failureTypes.host, message: 'tls', nextRetryDelay: 600_000 });
  };
  const inMode = (host: Host, mode: string) =>
    until(`it is ${mode}`, async () => (await view(host)).mode === mode);

  it.each<[string, () => void, (host: Host) => Promise<unknown>]>([
    ['while a slice runs', () => void ([slices, holdUp] = [[wait('wait')], { slice: forEver() }]), () => called('slice', 1)],
    ['while it waits for its time', () => void (slices = [wait('wait')]), (host) => until('it waits', async () => (await view(host)).nextVisit !== null)],
    ['in backoff', () => void (slices = [wait('trouble')]), (host) => inMode(host, 'backoff')],
    ['while Temporal waits to try a slice again', () => void (slices = [fail]), async (host) => {
      await called('slice', 1);
      await until('it failed', async () => Boolean((await host.describe()).raw.pendingActivities?.[0]?.lastFailure));
    }],
    ['before its first step', () => undefined, () => Promise.resolve()],
  ])('%s pauses the host, each time', async (_, prepare, ready) => {
    prepare();
    const host = await start();
    await ready(host);
    for (const time of [1, 2]) {
      await host.cancel();
      await inMode(host, 'paused');
      await called('pause its workflow was cancelled in Temporal Web', time);
      const before = times('slice').length;
      [slices, holdUp] = [[wait('wait')], {}];
      await until('another run can be cancelled', async () => (await host.describe()).raw.workflowExtendedInfo?.cancelRequested !== true);
      expect(times('slice')).toHaveLength(before);
      await host.signal(resumeHostSignal);
      await called('slice', before + 1);
      expect(times('pause null')).toHaveLength(time);
    }
    await end(host);
  }); // prettier-ignore

  it('leaves a parked host its probes and its retry, also one that waits', async () => {
    const host = await start();
    await parked(host);
    const retried = Promise.withResolvers<undefined>();
    holdUp = { unpark: retried.promise };
    const asked = host.executeUpdate(retryHostUpdate);
    await called('unpark', 1);
    await host.cancel();
    retried.resolve(undefined);
    expect(await asked).toMatch(/is tried again now/);
    await called('park', 2);
    await parked(host);
    await host.cancel();
    await called('probe', times('probe').length + 1);
    expect((await view(host)).mode).toBe('parked');
    expect(await host.executeUpdate(retryHostUpdate)).toMatch(/is tried again now/);
    expect(calls.filter(({ name }) => name.startsWith('pause'))).toEqual([]);
    await end(host);
  });
});

describe('a visit whose worker is gone', () => {
  it('is not waited for, and each lease is lost once', async () => {
    const idle = (): SliceResult => ({ ...fetched, next: 'idle' });
    slices = [idle];
    holdUp = { slice: new Promise(() => undefined) };
    const host = await start();
    await called('slice', 1);
    await host.signal(lostVisitSignal, 7);
    await called('slice', 2);
    await host.signal(lostVisitSignal, 7);
    await host.signal(lostVisitSignal, 8);
    await called('slice', 3);
    await host.signal(lostVisitSignal, null);
    await called('slice', 4);
    // The first two are told of after the third was begun: the worker that wakes up again changes nothing.
    for (const cut of cuts.slice(0, 3)) cut();
    await until('the last is under way', async () => (await view(host)).mode === 'active');
    expect(times('slice')).toHaveLength(4);
    for (const cut of cuts.splice(0)) cut();
    await host.result();
    expect(times('slice')).toHaveLength(4);
  });

  it('has its answer to `pause` all the same', async () => {
    holdUp = { slice: new Promise(() => undefined) };
    slices = [() => ({ ...fetched, next: 'wait', waitMs: 600_000 })];
    const host = await start();
    await called('slice', 1);
    const dead = cuts.splice(0);
    await host.signal(pauseHostSignal, 'lunch');
    await called('cut', 1);
    expect((await view(host)).mode).toBe('active');
    await host.signal(lostVisitSignal, 9);
    await until('it is paused', async () => (await view(host)).mode === 'paused');
    expect(dead).toHaveLength(1);
    for (const cut of dead) cut();
    await end(host);
  });
});

describe('a workflow that does not know how its host stands', () => {
  const adopted = () => {
    const origin = `https://host-${String(++hosts)}.example`;
    return client.workflow.start('host', {
      workflowId: hostWorkflowId(origin),
      taskQueue: taskQueues.control,
      args: [{ hostId: String(hosts), origin, adopted: true }],
    });
  };

  it('that is paused waits for its end, which may come from elsewhere', async () => {
    [slices, stands] = [[() => ({ ...fetched, next: 'wait', waitMs: 600_000 })], { paused: 'lunch', parked: null }]; // prettier-ignore
    const host = await adopted();
    await until('it is paused', async () => (await view(host)).mode === 'paused');
    expect((await view(host)).pausedReason).toBe('lunch');
    stands = { paused: null, parked: null };
    await host.signal(wakeSignal);
    await called('slice', 1);
    await end(host);
  });

  it('that is parked probes it', async () => {
    stands = { paused: null, parked: { reason: 'tls: expired', forMs: 60_000 } };
    const host = await adopted();
    await called('probe', 1);
    expect(await view(host)).toMatchObject({ mode: 'parked', lastError: 'tls: expired' });
    expect(Date.now() - ((await view(host)).troubleSince ?? 0)).toBeGreaterThanOrEqual(60_000);
    expect(times('slice')).toEqual([]);
    await end(host);
  });

  it('learns of it from its slice', async () => {
    slices = [() => ({ ...fetched, next: 'held' })];
    stands = { paused: 'lunch', parked: null };
    const host = await start();
    await until('it is paused', async () => (await view(host)).mode === 'paused');
    expect(times('slice')).toHaveLength(1);
    await end(host);
  });
});

describe('a host whose place somebody else wants', () => {
  const yields = (): SliceResult => ({ ...fetched, next: 'yield', queued: 9 });

  it('is given back at the end of its slice, with URLs that are due', async () => {
    slices = [() => fetched, yields];
    const host = await start();
    await host.result();
    expect(calls.map(({ name }) => name)).toEqual(['slice', 'slice', 'retire']);
  });

  it('goes on where it cannot be given back', async () => {
    [slices, retired] = [[yields], [false, true]];
    const host = await start();
    await host.result();
    expect(times('slice')).toHaveLength(2);
  });

  it('is paused first where an operator asks for that', async () => {
    slices = [yields];
    holdUp = { slice: new Promise(() => undefined) };
    const host = await start();
    await called('slice', 1);
    await host.signal(pauseHostSignal, 'lunch');
    await until('it is paused', async () => (await view(host)).mode === 'paused');
    expect(times('retire')).toEqual([]);
    holdUp = {};
    await host.signal(resumeHostSignal);
    await host.result();
    expect(times('slice')).toHaveLength(2);
  });
});
