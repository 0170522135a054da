/**
 * What the workflow of a host shows of its states, and that it survives cancellations, lost visits and lost memory.
 *
 * @module-tag long
 */
import { ApplicationFailure } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { SliceResult } from '../../../contracts/activities.ts';
import { failureTypes } from '../../../contracts/failures.ts';
import {
  hostStateQuery,
  lostVisitSignal,
  pauseHostSignal,
  resumeHostSignal,
  retryHostUpdate,
  taskQueues,
  wakeSignal,
  hostWorkflowId,
  type HostCarried,
} from '../../../contracts/workflows.ts';
import { until } from '../../support/until.ts';
import {
  called,
  client,
  end,
  fetched,
  hostWorkers,
  newHost,
  parked,
  said,
  spent,
  start,
  times,
  view,
  world,
  type Host,
} from './host-workers.ts';

hostWorkers();

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
    said.slices = [slice];
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
    ['while a slice runs', () => void ([said.slices, said.holdUp] = [[wait('wait')], { slice: forEver() }]), () => called('slice', 1)],
    ['while it waits for its time', () => void (said.slices = [wait('wait')]), (host) => until('it waits', async () => (await view(host)).nextVisit !== null)],
    ['in backoff', () => void (said.slices = [wait('trouble')]), (host) => inMode(host, 'backoff')],
    ['while Temporal waits to try a slice again', () => void (said.slices = [fail]), async (host) => {
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
      [said.slices, said.holdUp] = [[wait('wait')], {}];
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
    said.holdUp = { unpark: retried.promise };
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
    expect(said.calls.filter(({ name }) => name.startsWith('pause'))).toEqual([]);
    await end(host);
  });
});

describe('a visit whose worker is gone', () => {
  it('is not waited for, and each lease is lost once', async () => {
    const idle = (): SliceResult => ({ ...fetched, next: 'idle' });
    said.slices = [idle];
    said.holdUp = { slice: new Promise(() => undefined) };
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
    for (const cut of said.cuts.slice(0, 3)) cut();
    await until('the last is under way', async () => (await view(host)).mode === 'active');
    expect(times('slice')).toHaveLength(4);
    for (const cut of said.cuts.splice(0)) cut();
    await host.result();
    expect(times('slice')).toHaveLength(4);
  });

  it('has its answer to `pause` all the same', async () => {
    said.holdUp = { slice: new Promise(() => undefined) };
    said.slices = [() => ({ ...fetched, next: 'wait', waitMs: 600_000 })];
    const host = await start();
    await called('slice', 1);
    const dead = said.cuts.splice(0);
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
    const host = newHost();
    return client.workflow.start('host', {
      workflowId: hostWorkflowId(host.origin),
      taskQueue: taskQueues.control,
      args: [{ ...host, adopted: true }],
    });
  };

  it('that is paused waits for its end, which may come from elsewhere', async () => {
    [said.slices, said.stands] = [[() => ({ ...fetched, next: 'wait', waitMs: 600_000 })], { paused: 'lunch', parked: null }]; // prettier-ignore
    const host = await adopted();
    await until('it is paused', async () => (await view(host)).mode === 'paused');
    expect((await view(host)).pausedReason).toBe('lunch');
    said.stands = { paused: null, parked: null };
    await host.signal(wakeSignal);
    await called('slice', 1);
    await end(host);
  });

  it('that is parked probes it', async () => {
    said.stands = { paused: null, parked: { reason: 'tls: expired', forMs: 60_000 } };
    const host = await adopted();
    await called('probe', 1);
    expect(await view(host)).toMatchObject({ mode: 'parked', lastError: 'tls: expired' });
    expect(Date.now() - ((await view(host)).troubleSince ?? 0)).toBeGreaterThanOrEqual(60_000);
    expect(times('slice')).toEqual([]);
    await end(host);
  });

  it('learns of it from its slice', async () => {
    said.slices = [() => ({ ...fetched, next: 'held' })];
    said.stands = { paused: 'lunch', parked: null };
    const host = await start();
    await until('it is paused', async () => (await view(host)).mode === 'paused');
    expect(times('slice')).toHaveLength(1);
    await end(host);
  });
});

describe('a host whose place somebody else wants', () => {
  const yields = (): SliceResult => ({ ...fetched, next: 'yield', queued: 9 });

  it('is given back at the end of its slice, with URLs that are due', async () => {
    said.slices = [() => fetched, yields];
    const host = await start();
    await host.result();
    expect(said.calls.map(({ name }) => name)).toEqual(['slice', 'slice', 'retire']);
  });

  it('goes on where it cannot be given back', async () => {
    [said.slices, said.retired] = [[yields], [false, true]];
    const host = await start();
    await host.result();
    expect(times('slice')).toHaveLength(2);
  });

  it('is paused first where an operator asks for that', async () => {
    said.slices = [yields];
    said.holdUp = { slice: new Promise(() => undefined) };
    const host = await start();
    await called('slice', 1);
    await host.signal(pauseHostSignal, 'lunch');
    await until('it is paused', async () => (await view(host)).mode === 'paused');
    expect(times('retire')).toEqual([]);
    said.holdUp = {};
    await host.signal(resumeHostSignal);
    await host.result();
    expect(times('slice')).toHaveLength(2);
  });
});
