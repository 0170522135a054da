/** A host that is parked or in trouble: its probes, its retries, its way back. */
import { describe, expect, it } from 'vitest';
import type { ProbeResult, SliceResult } from '../../../contracts/activities.ts';
import {
  askHostSignal,
  pauseHostSignal,
  redriveHostUpdate,
  resumeHostSignal,
  retryHostUpdate,
  taskQueues,
  hostWorkflowId,
} from '../../../contracts/workflows.ts';
import { until } from '../../support/until.ts';
import {
  answers,
  called,
  client,
  counts,
  end,
  fails,
  fetched,
  hostWorkers,
  newHost,
  parked,
  probeMs,
  said,
  start,
  times,
  view,
} from './host-workers.ts';

hostWorkers();

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
    await until('the third is told', async () => (await view(host)).probes >= 3);
    expect((await view(host)).lastProbe).toBe('robots.txt answers 503');
    await end(host);
  });

  it('is not probed at the time of those that parked with it', async () => {
    said.restMs = 0;
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
    said.probes = [answers];
    const host = await start();
    await called('park', 3);
    expect(said.calls.map(({ name }) => name).filter((name) => name !== 'slice')).toEqual(
      ['park', 'probe', 'unpark', 'park', 'probe', 'unpark', 'park'], // prettier-ignore
    );
    const [, second = 0] = times('probe');
    expect(second - (times('park')[1] ?? 0)).toBeGreaterThanOrEqual(0.85 * 2 * probeMs - 20);
    await until('it waits', async () => (await view(host)).probes >= 2);
    // A page begins it anew.
    said.slices = [() => fetched, () => ({ ...fetched, next: 'wait', waitMs: 600_000 })];
    await called('unpark', 3);
    await until('a page was fetched', async () => (await view(host)).probes === 0);
    await end(host);
  });

  it('is left alone as long as it may not be asked', async () => {
    said.restMs = 1_500;
    said.probes = [{ outcome: 'fails', message: 'not yet well', waitMs: 3_600_000 }];
    const host = await start();
    await called('probe', 1);
    expect((times('probe')[0] ?? 0) - (times('park')[0] ?? 0)).toBeGreaterThanOrEqual(said.restMs - 20);
    await until('it waits', async () => ((await view(host)).probeAt ?? 0) > Date.now() + 3_500_000);
    expect(await view(host)).toMatchObject({ probes: 1, nextVisit: (await view(host)).probeAt });
    await end(host);
  });

  it('that could not be asked is no probe that failed', async () => {
    said.probes = [{ outcome: 'not-yet', message: 'it may not be asked yet', waitMs: 5_000_000 }];
    const host = await start();
    await until('it waits', async () => ((await view(host)).probeAt ?? 0) > Date.now() + 4_900_000);
    expect(await view(host)).toMatchObject({ probes: 0, lastProbe: null });
    await end(host);
  });

  it('is not probed while it is paused, and at once tried again when that ends', async () => {
    // The first probe is not on its way when the pause comes.
    said.restMs = 3_000;
    const host = await start();
    await parked(host);
    await host.signal(pauseHostSignal, 'a rest');
    await until('it is paused', async () => (await view(host)).mode === 'paused');
    const before = times('probe').length;
    await new Promise((wake) => setTimeout(wake, said.restMs + 2 * probeMs));
    expect(times('probe')).toHaveLength(before);
    await host.signal(resumeHostSignal);
    await called('unpark', 1);
    await end(host);
  });

  it('waits on where it was after a continue-as-new, also for a probe that is overdue', async () => {
    said.probes = [{ ...fails, waitMs: 3_600_000 }];
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
    said.slices = [() => ({ ...fetched, next: 'wait', waitMs: 600_000 })];
    expect(await host.executeUpdate(retryHostUpdate)).toContain('is tried again now');
    expect(await view(host)).toMatchObject({ mode: 'active', parked: false, probes: 0, probeAt: null });
    await end(host);
  });

  it('that is parked again after a `retry` is probed as soon as at first, however often it was probed before', async () => {
    said.stands = { paused: null, parked: { reason: 'tls: expired', forMs: 0 } };
    // The next but one would come in days.
    const host = await start({ parked: true, probes: 20, probeAt: Date.now() + 86_400_000 });
    await host.executeUpdate(retryHostUpdate);
    await called('probe', 1);
    await end(host);
  });
});

describe('a parked host that a new crawl waits for', () => {
  it('is asked once, at once, beside its own probes', async () => {
    said.restMs = 3_600_000;
    const host = await start();
    await parked(host);
    const { probeAt } = await view(host);
    await host.signal(askHostSignal);
    await called('probe', 1);
    await until('it is told', async () => (await view(host)).lastProbe === 'robots.txt answers 503');
    expect(await view(host)).toMatchObject({ mode: 'parked', probes: 0, probeAt });
    expect(times('probe')).toHaveLength(1);
    said.probes = [answers];
    await host.signal(askHostSignal);
    await called('unpark', 1);
    await end(host);
  });

  it('is asked as soon as it may be, and not while it is paused', async () => {
    said.restMs = 3_600_000;
    const notYet: ProbeResult = { outcome: 'not-yet', message: 'it may not be asked yet', waitMs: 2_500 };
    said.probes = [notYet, fails];
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
    said.slices = [() => trouble, () => trouble, () => fetched, () => waits];
    const host = await start();
    await called('slice', 4);
    expect(said.calls.map(({ name }) => name)).toEqual([
      'slice',
      ...['slice in trouble', 'slice', 'slice in trouble', 'slice'],
      'slice',
    ]);
    await end(host);
  });

  it('whose retries were spent before it had a workflow is parked at once, and probed as any', async () => {
    const place = newHost();
    const host = await client.workflow.start('host', {
      workflowId: hostWorkflowId(place.origin),
      taskQueue: taskQueues.control,
      args: [{ ...place, spent: 'dns-not-found: no such name' }],
    });
    await called('probe', 1);
    expect(await view(host)).toMatchObject({
      mode: 'parked',
      lastError: 'dns-not-found: no such name',
      ...counts,
    });
    expect(said.calls.map(({ name }) => name).slice(0, 2)).toEqual(['park', 'probe']);
    await end(host);
  });
});

describe('the update `redrive`', () => {
  it('adds up calls; alone it ends the parking, with a class it does not', async () => {
    said.restMs = 3_600_000;
    const host = await start();
    await parked(host);
    const one = await host.executeUpdate(redriveHostUpdate, { args: [{ class: 'client-error' }] });
    expect(one).toBe('2 dead letters are queued again');
    expect(times('redrive client-error')).toHaveLength(2);
    expect(await view(host)).toMatchObject({ mode: 'parked', ...counts });
    said.slices = [() => ({ ...fetched, next: 'wait', waitMs: 600_000 })];
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
    said.restMs = 3_600_000;
    const host = await start();
    await parked(host);
    const update = host.executeUpdate(redriveHostUpdate, { args: [choice as object] });
    await expect(update).rejects.toMatchObject({
      cause: { message: expect.stringContaining(words) as string },
    });
    await end(host);
  });
});
