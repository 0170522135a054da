/** The host workflow in an instance with regions (F17): where its visits go, and what becomes of one that nobody takes. */
import { ApplicationFailure } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import type {
  FetchActivities,
  HostInRegion,
  ProbeResult,
  SliceResult,
} from '../../../contracts/activities.ts';
import { failureTypes } from '../../../contracts/failures.ts';
import { lostVisitSignal } from '../../../contracts/workflows.ts';
import { given } from '../../support/given.ts';
import {
  answers,
  called,
  end,
  fetched,
  hostWorkers,
  type Host,
  said,
  start,
  times,
  view,
  working,
  world,
} from './host-workers.ts';

hostWorkers();

/** Long beside the time that a worker takes to poll. */
const patient = 60_000;
/** What workers of the region eu were asked for, and what they say; the last goes on for ever. */
const asked: HostInRegion[] = [];
let says: (() => SliceResult | Promise<SliceResult>)[] = [];
let probed: ProbeResult = answers;
const eu: FetchActivities = {
  fetchSlice: (host) =>
    working(host.hostId, () => {
      asked.push(host);
      return (says.length > 1 ? says.shift() : says[0])?.() ?? fetched;
    }),
  probeHost: (host) => {
    asked.push(host);
    return Promise.resolve(probed);
  },
};
given(
  async () => {
    const connection = await NativeConnection.connect({ address: world.temporalAddress });
    const common = { connection, namespace: world.namespace, activities: eu };
    const workers = await Promise.all(
      ['fetch-eu', 'trouble-eu'].map((taskQueue) => Worker.create({ ...common, taskQueue })),
    );
    return { connection, workers, running: Promise.all(workers.map((worker) => worker.run())) };
  },
  async ({ connection, workers, running }) => {
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
  },
);

const elsewhere =
  (name: string, patienceMs = patient) =>
  (): SliceResult => ({
    ...fetched,
    next: 'elsewhere',
    region: { name, patienceMs },
  });
const rests: SliceResult = { ...fetched, next: 'wait', waitMs: 3_600_000 };
const forHost = (hostId: string) => asked.filter((each) => each.hostId === hostId);
const idOf = ({ workflowId }: Host): string => workflowId.replace(/\D+/g, '');

describe('a host', () => {
  it('goes on where a worker has sent it, and is not sent on at once', async () => {
    says = [() => fetched, () => rests];
    said.slices = [elsewhere('eu')];
    const host = await start();
    const id = idOf(host);
    await expect
      .poll(() => forHost(id).map(({ region }) => region))
      .toEqual([
        { name: 'eu', chosen: true },
        { name: 'eu', chosen: false },
      ]);
    expect(times('slice')).toHaveLength(1);
    expect(await view(host)).toMatchObject({ region: { name: 'eu', patienceMs: patient } });
    await end(host);
  });

  it('is sent anew where no worker of its region takes the visit in time', async () => {
    says = [() => rests];
    said.slices = [elsewhere('us', 500), elsewhere('us', 500), elsewhere('eu')];
    const host = await start();
    const id = idOf(host);
    await expect.poll(() => forHost(id)).toHaveLength(1);
    const [first = 0, second = 0, third = 0] = times('slice');
    expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(480);
    await end(host);
  });

  it('in trouble waits for its next attempt as long as it must, whatever the patience', async () => {
    let failures = 0;
    says = [
      () => ({ ...fetched, next: 'trouble', waitMs: 1, lastError: 'connect: refused' }),
      () => {
        failures++;
        throw ApplicationFailure.create({
          type: failureTypes.host,
          message: 'again',
          nextRetryDelay: '3 seconds',
        });
      },
      () => rests,
    ];
    said.slices = [elsewhere('eu', 1_000)];
    const host = await start();
    const id = idOf(host);
    await expect.poll(() => forHost(id)).toHaveLength(3);
    expect([failures, times('slice').length]).toEqual([1, 1]);
    await end(host);
  });

  it('that has lost its visit is sent anew', async () => {
    const never = Promise.withResolvers<SliceResult>();
    says = [() => never.promise, () => rests];
    said.slices = [elsewhere('eu'), elsewhere('eu')];
    const host = await start();
    const id = idOf(host);
    await expect.poll(() => forHost(id)).toHaveLength(1);
    await host.signal(lostVisitSignal, 7);
    await called('slice', 2);
    await expect.poll(() => forHost(id)).toHaveLength(2);
    never.resolve(rests);
    await end(host);
  });

  it('that is parked is probed from its region', async () => {
    said.probes = [
      {
        outcome: 'elsewhere',
        message: 'workers of eu ask it',
        waitMs: 0,
        region: { name: 'eu', patienceMs: patient },
      },
    ];
    probed = { outcome: 'fails', message: 'robots.txt answers 503', waitMs: 3_600_000 };
    const host = await start();
    const id = idOf(host);
    await expect.poll(() => forHost(id).map(({ region }) => region)).toEqual([{ name: 'eu', chosen: true }]);
    await expect.poll(async () => (await view(host)).lastProbe).toBe('robots.txt answers 503');
    expect(await view(host)).toMatchObject({ probes: 1 });
    await end(host);
  });

  it('keeps its region over a continue-as-new', async () => {
    says = [() => rests];
    const host = await start({ region: { name: 'eu', patienceMs: patient } });
    const id = idOf(host);
    await expect.poll(() => forHost(id).map(({ region }) => region)).toEqual([{ name: 'eu', chosen: false }]);
    expect(times('slice')).toHaveLength(0);
    await end(host);
  });
});
