/** The scheduler's hand on a real Temporal: which workflows it starts or wakes, and what a crash in between leaves. */
import { Client, Connection, WorkflowNotFoundError, type WorkflowClient } from '@temporalio/client';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { msToTs } from '@temporalio/common/lib/time.js';
import { createFeedActivities } from '../../../activities/feed.ts';
import { keep } from '../../../engine/chores.ts';
import { schedulerWaking } from '../../../activities/scheduler-waker.ts';
import { isStuck } from '../../../activities/start-host.ts';
import { newFront } from '../../../domain/front-queue/front-state.ts';
import { hostWorkflowId, schedulerWorkflowId, taskQueues } from '../../../contracts/workflows.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { addTenant, changeHost, fromNow, hostRow, not, tables } from '../../support/database/index.ts';
import { until } from '../../support/until.ts';
import { withWorld, withPool } from '../../support/world.ts';
import { admission, moveCrawl, newHost, runningCrawl } from '../storage/frontier.ts';

const world = withWorld();
const pool = withPool(world, 4);
let connection: Connection;
let workflows: WorkflowClient;
let crawl: number;

beforeAll(async () => {
  connection = await Connection.connect({ address: world.temporalAddress });
  ({ workflow: workflows } = new Client({ connection, namespace: world.namespace }));
});
afterAll(async () => {
  await connection.close();
});
beforeEach(async () => {
  ahead = [];
  await tables.host.changeAny(pool, {}, { fed: false, parked_at: fromNow() });
  await tables.crawl.changeAny(pool, {}, { state: 'finished' });
  crawl = await runningCrawl(pool);
});

/** Names that are looked up ahead. */
let ahead: string[] = [];
const prefetch = (name: string): void => {
  ahead.push(name);
};

/** As at a scheduler's first tick. */
const front = newFront(1);

let made = 0;
const waitingHosts = async (count: number): Promise<{ id: number; origin: string }[]> => {
  const hosts = Array.from({ length: count }, () => `https://feed-${String(made++)}.example`);
  return Promise.all(
    hosts.map(async (origin) => {
      const id = await newHost(pool, origin);
      await changeHost(pool, id, { known_at: fromNow() });
      await new FrontierWriter(pool).write({ admissions: [admission(id, crawl, `${origin}/`)] });
      return { id, origin };
    }),
  );
};
const signalsOf = async (workflowId: string, named?: string): Promise<number> => {
  const history = await workflows.getHandle(workflowId).fetchHistory().catch(() => null); // prettier-ignore
  const signals = (history?.events ?? []).flatMap(
    (event) => event.workflowExecutionSignaledEventAttributes ?? [],
  );
  return signals.filter(({ signalName }) => named === undefined || signalName === named).length;
};
/** As if eleven seconds had passed since hosts were fed. */
const later = () => tables.host.change(pool, { fed_at: not(null) }, { fed_at: fromNow(-11) });

interface Told {
  readonly status: string;
  /** Of the workflow's start. */
  readonly input: unknown;
  readonly wakes: number;
}
/** What a host's workflow has been told; null: it was never started. No worker is there to do anything about it. */
async function told(origin: string): Promise<Told | null> {
  const handle = workflows.getHandle(hostWorkflowId(origin));
  const description = await handle.describe().catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  });
  if (description === null) return null;
  const events = (await handle.fetchHistory()).events ?? [];
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  const [input] = started?.input?.payloads ?? [];
  return {
    status: description.status.name,
    input: JSON.parse(Buffer.from(input?.data ?? []).toString()),
    wakes: events.filter((event) => event.workflowExecutionSignaledEventAttributes?.signalName === 'wake')
      .length,
  };
}

/** A client whose calls fail after `calls` of them, as when Temporal goes away or the process dies in between. */
const failingAfter = (calls: number): WorkflowClient =>
  new Proxy(workflows, {
    get: (target, name, receiver) =>
      name === 'signalWithStart' && calls-- <= 0
        ? () => Promise.reject(new Error('Temporal is away'))
        : (Reflect.get(target, name, receiver) as unknown),
  });

type Completed = Parameters<Connection['workflowService']['respondWorkflowTaskCompleted']>[0];
type Command = NonNullable<Completed['commands']>[number];
/** COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK of Temporal's API. */
const scheduleActivityTask = 1 as unknown as NonNullable<Command['commandType']>;
const soon = <T>(call: () => Promise<T>): Promise<T> => connection.withDeadline(Date.now() + 60_000, call);

/** A task queue of the test's own. */
const slots = 'slots';
const of = (queue: string) => ({ namespace: world.namespace, taskQueue: { name: queue } });

/** As a worker whose visit finds the host in trouble: Temporal tries again after so long. */
async function failVisit(again: Parameters<typeof msToTs>[0]): Promise<void> {
  const { workflowService } = connection;
  const { taskToken } = await soon(() =>
    workflowService.pollActivityTaskQueue({ ...of(slots), identity: 'test' }),
  );
  const failure = { message: 'trouble', applicationFailureInfo: { nextRetryDelay: msToTs(again) } };
  await workflowService.respondActivityTaskFailed({ namespace: world.namespace, taskToken, failure });
}

/** Does what the host's workflow does first: schedules a visit. */
async function scheduleVisit(origin: string): Promise<void> {
  const { workflowService } = connection;
  for (;;) {
    const polled = of(taskQueues.control);
    const task = await soon(() => workflowService.pollWorkflowTaskQueue({ ...polled, identity: 'test' }));
    if (task.workflowExecution?.workflowId !== hostWorkflowId(origin)) continue;
    await workflowService.respondWorkflowTaskCompleted({
      namespace: world.namespace,
      taskToken: task.taskToken,
      commands: [
        {
          commandType: scheduleActivityTask,
          scheduleActivityTaskCommandAttributes: {
            activityId: '1',
            activityType: { name: 'fetchSlice' },
            taskQueue: { name: slots },
            startToCloseTimeout: msToTs('10 minutes'),
          },
        },
      ],
    });
    return;
  }
}

describe('feed', () => {
  it('starts the workflow of each host with due URLs, once, and tells what is going on', async () => {
    const { feed } = createFeedActivities({ pool, prefetch }, workflows, 50);
    const hosts = await waitingHosts(20);
    await newHost(pool, 'https://idle.example');
    expect(await feed({ shard: 0, lost: false, front })).toMatchObject({
      started: 20,
      given: { byTier: [20, 0, 0] },
      active: 20,
      cap: 50,
      running: true,
      unread: false,
      readers: 1,
    });
    for (const { id, origin } of hosts) {
      expect(await told(origin)).toEqual({
        status: 'RUNNING',
        input: { hostId: String(id), origin },
        wakes: 1,
      });
    }
    expect(await told('https://idle.example')).toBeNull();
    expect(ahead.sort()).toEqual(hosts.map(({ origin }) => new URL(origin).hostname).sort());
    expect(await feed({ shard: 0, lost: false, front })).toMatchObject({ started: 0, active: 20 });
  });

  it('starts no more than the cap leaves room for', async () => {
    const { feed } = createFeedActivities({ pool, prefetch }, workflows, 3);
    await waitingHosts(5);
    expect(await feed({ shard: 0, lost: false, front })).toMatchObject({ started: 3, active: 3, cap: 3 });
    expect(await feed({ shard: 0, lost: false, front })).toMatchObject({ started: 0, active: 3 });
  });

  it('gives no more places than begin in two seconds, and a newcomer the first that is free', async () => {
    const { feed } = createFeedActivities({ pool, prefetch }, workflows, 500);
    const crowd = (await waitingHosts(60)).map(({ id }) => id);
    const first = await feed({ shard: 0, lost: false, front });
    expect(first).toMatchObject({ started: 40, active: 40, restMs: 0 });
    // None has begun: what is given now would wait behind all of them.
    const second = await feed({ shard: 0, lost: false, front: first.front });
    expect(second).toMatchObject({ started: 0, active: 40, restMs: 0 });
    crawl = await runningCrawl(pool);
    const [newcomer] = await waitingHosts(1);
    const given = (await tables.host.rows(pool, { id: crowd, fed: true })).map(({ id }) => id);
    await tables.host.change(pool, { id: given }, { lease_token: 1, lease_until: fromNow(60) });
    const few = { ...second.front, starts: { window: 2, waiting: 0, at: Date.now() } };
    expect(await feed({ shard: 0, lost: false, front: few })).toMatchObject({ started: 2, active: 42 });
    expect(await told(newcomer?.origin ?? '')).toMatchObject({ wakes: 1 });
  });

  it('says when no crawl is running', async () => {
    const { feed } = createFeedActivities({ pool, prefetch }, workflows, 50);
    await waitingHosts(1);
    await moveCrawl(pool, crawl, 'paused');
    expect(await feed({ shard: 0, lost: true, front })).toMatchObject({
      started: 0,
      active: 0,
      cap: 50,
      running: false,
    });
  });

  it('finds lost hosts only when asked to; one whose workflow lives is woken and not started twice', async () => {
    const { feed } = createFeedActivities({ pool, prefetch }, workflows, 50);
    const [host] = await waitingHosts(1);
    const origin = host?.origin ?? '';
    await feed({ shard: 0, lost: false, front });
    await later();
    expect(await feed({ shard: 0, lost: false, front })).toMatchObject({ started: 0 });
    expect(await feed({ shard: 0, lost: true, front })).toMatchObject({ started: 1, active: 1 });
    expect(await told(origin)).toMatchObject({ status: 'RUNNING', wakes: 2 });
  });

  it('tells a visit that nobody works from one that waits for a slot', async () => {
    const { feed } = createFeedActivities({ pool, prefetch }, workflows, 50);
    const [host] = await waitingHosts(1);
    const origin = host?.origin ?? '';
    await feed({ shard: 0, lost: false, front });
    expect(await isStuck(workflows, origin, 0)).toBe(false);
    await scheduleVisit(origin);
    expect(await isStuck(workflows, origin, 0)).toBe(false);
    // As a worker that freezes with the task in its hand.
    const { workflowService } = connection;
    await soon(() => workflowService.pollActivityTaskQueue({ ...of(slots), identity: 'frozen' }));
    expect(await isStuck(workflows, origin, 0)).toBe(true);
    expect(await isStuck(workflows, origin, 600_000)).toBe(false);
    expect(await isStuck(workflows, 'https://no-workflow.example')).toBe(false);
  });

  it('wakes a host in trouble where a tenant waits whom the trouble does not concern', async () => {
    const { feed } = createFeedActivities({ pool, prefetch }, workflows, 50);
    const [host] = await waitingHosts(1);
    const { id = 0, origin = '' } = host ?? {};
    await feed({ shard: 0, lost: false, front });
    const { tenant_id: mine } = await tables.crawl.row(pool, { id: crawl });
    const inTrouble = { failures: 1, not_before: fromNow(3_600), blamed_tenant: mine };
    await changeHost(pool, id, inTrouble);
    expect(await feed({ shard: 0, lost: true, front })).toMatchObject({ started: 0 });
    await changeHost(pool, id, { blamed_tenant: await addTenant(pool, 'whose URLs failed') });
    expect(await feed({ shard: 0, lost: true, front })).toMatchObject({ started: 1 });
    expect(await signalsOf(hostWorkflowId(origin))).toBe(2);
    const { not_before_ms: waitMs, blamed_tenant: blamed } = await hostRow(pool, id);
    expect({ waits: waitMs > 0, blamed }).toEqual({ waits: false, blamed: null });
  });

  it('ends the sleep of a host where others wait, though the process died before it told the workflow', async () => {
    const { feed } = createFeedActivities({ pool, prefetch }, workflows, 50);
    const [host] = await waitingHosts(1);
    const { id = 0, origin = '' } = host ?? {};
    await feed({ shard: 0, lost: false, front });
    await scheduleVisit(origin);
    await failVisit('1 hour');
    const blamed = await addTenant(pool, 'whose URLs failed before a crash');
    await changeHost(pool, id, { failures: 1, not_before: fromNow(3_600), blamed_tenant: blamed });
    const dying = createFeedActivities({ pool, prefetch }, failingAfter(0), 50);
    await expect(dying.feed({ shard: 0, lost: true, front })).rejects.toThrow('Temporal is away');
    expect(await hostRow(pool, id)).toMatchObject({ blamed_tenant: null });
    const before = await signalsOf(hostWorkflowId(origin), 'lost');
    await changeHost(pool, id, { not_before: fromNow(-11) });
    await later();
    expect(await feed({ shard: 0, lost: true, front })).toMatchObject({ started: 1 });
    expect(await signalsOf(hostWorkflowId(origin), 'lost')).toBe(before + 1);
  });

  it('leaves to Temporal a visit that a fault of ours has ended', async () => {
    const { feed } = createFeedActivities({ pool, prefetch }, workflows, 50);
    const [host] = await waitingHosts(1);
    const origin = host?.origin ?? '';
    await feed({ shard: 0, lost: false, front });
    await scheduleVisit(origin);
    await failVisit('1 minute');
    expect(await isStuck(workflows, origin, 0)).toBe(false);
  });

  it('starts anew a workflow that somebody terminated', async () => {
    const { feed } = createFeedActivities({ pool, prefetch }, workflows, 50);
    const [host] = await waitingHosts(1);
    const origin = host?.origin ?? '';
    await feed({ shard: 0, lost: false, front });
    await workflows.getHandle(hostWorkflowId(origin)).terminate('by hand');
    await later();
    expect(await told(origin)).toMatchObject({ status: 'TERMINATED' });
    await feed({ shard: 0, lost: true, front });
    expect(await told(origin)).toMatchObject({ status: 'RUNNING', wakes: 1 });
  });

  it('marks first and starts then: where Temporal goes away in between, the next look finds the rest', async () => {
    const hosts = await waitingHosts(12);
    const broken = createFeedActivities({ pool, prefetch }, failingAfter(5), 50);
    await expect(broken.feed({ shard: 0, lost: false, front })).rejects.toThrow('Temporal is away');
    // Marked, all of them, just now: nobody else feeds them meanwhile.
    expect(await tables.host.change(pool, { fed: true }, { fed_at: fromNow() })).toBe(12);
    const { feed } = createFeedActivities({ pool, prefetch }, workflows, 50);
    expect(await feed({ shard: 0, lost: true, front })).toMatchObject({ started: 0, active: 12 });
    await later();
    expect(await feed({ shard: 0, lost: true, front })).toMatchObject({ started: 12, active: 12 });
    for (const { origin } of hosts) expect(await told(origin)).toMatchObject({ status: 'RUNNING' });
  });

  it('rests where nothing is due, and is woken once when something is, by whomever', async () => {
    const { feed } = createFeedActivities({ pool, prefetch }, workflows, 50);
    const [host] = await waitingHosts(1);
    const tick = async (): Promise<number> => (await feed({ shard: 0, lost: false, front })).restMs;
    // It feeds the host, and looks again at once only where others are left.
    const atWork = await tick();
    expect(atWork).toBeGreaterThan(1_000);
    expect(atWork).toBeLessThanOrEqual(5_000);
    await changeHost(pool, host?.id ?? 0, { fed: false, parked_at: fromNow() });
    const resting = await tick();
    expect(resting).toBeGreaterThan(5_000);
    expect(resting).toBeLessThanOrEqual(15_000);
    // A body that is read soon may bring work.
    for (const [stage, isAwake] of [
      [1, true],
      [0, false],
    ] as const) {
      await tables.url.change(pool, { host_id: host?.id ?? 0 }, { stage });
      expect((await tick()) === 0).toBe(isAwake);
    }

    const stop = keep([schedulerWaking(pool, workflows)], pino({ level: 'silent' }));
    try {
      const before = await signalsOf(schedulerWorkflowId(0));
      await waitingHosts(5);
      await until('a signal', async () => (await signalsOf(schedulerWorkflowId(0))) > before);
      await waitingHosts(1);
      const full = createFeedActivities({ pool, prefetch }, workflows, 3);
      expect(await full.feed({ shard: 0, lost: false, front })).toMatchObject({ started: 3, restMs: 0 });
      expect(await signalsOf(schedulerWorkflowId(0))).toBe(before + 1);
    } finally {
      await stop();
    }
  });
});
