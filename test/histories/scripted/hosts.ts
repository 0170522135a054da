/** Ways of a host's workflow that a crawl on a small web does not take. */
import { ApplicationFailure } from '@temporalio/common';
import {
  nobody,
  type HostCounts,
  type ProbeResult,
  type SliceResult,
} from '../../../contracts/activities.ts';
import { failureTypes } from '../../../contracts/failures.ts';
import {
  askHostSignal,
  dropHostUpdate,
  hostWorkflowId,
  lostVisitSignal,
  pauseHostSignal,
  redriveHostUpdate,
  resumeHostSignal,
  retryHostSignal,
  retryHostUpdate,
  setDelayUpdate,
  wakeSignal,
} from '../../../contracts/workflows.ts';
import { noneRedriven } from '../../../domain/dead-letter.ts';
import { always, gate, inTurn, regionWithWorkers, type Script } from './stage.ts';

const hour = 3_600_000;
const slice = (next: SliceResult['next'], others: Partial<SliceResult> = {}): SliceResult => ({
  ...{ fetched: 1, next, waitMs: 0, delayMs: 1_000, queued: 5, deadLetters: 0 },
  ...{ wantedBy: nobody, lastError: null, closedBy: null, ...others },
});
const counts = (queued: number): HostCounts => ({ queued, deadLetters: 0, wantedBy: nobody });
const probed = (outcome: ProbeResult['outcome'], waitMs = 0): ProbeResult => ({
  outcome,
  message: outcome,
  waitMs,
});
const idle = slice('idle', { queued: 0 });
const nothing = always(undefined);
const parked = { paused: null, parked: { reason: 'connect: refused', forMs: 60_000 } };
const spent = ApplicationFailure.nonRetryable('connect: refused', failureTypes.spent);
const redriven = { ...noneRedriven, requeued: 2, next: null };
const host = (name: string, input: object = {}): Pick<Script, 'name' | 'workflowId' | 'input'> => {
  const origin = `http://${name}.example`;
  return { name, workflowId: hostWorkflowId(origin), input: { hostId: '1', origin, ...input } };
};

const operated: Script = {
  ...host('host-operated'),
  answers: {
    fetchSlice: inTurn(
      slice('wait', { closedBy: 'windows', waitMs: hour }),
      slice('wait', { closedBy: 'windows', waitMs: hour }),
      idle,
    ),
    ...{
      setHostDelay: nothing,
      dropHost: always({ ...counts(0), dropped: 5 }),
      unparkHost: always(counts(0)),
    },
  },
  async act({ handle, called, shows, ended }) {
    await shows('closed');
    await handle.executeUpdate(setDelayUpdate, { args: [2] });
    await called('fetchSlice', 2);
    await shows('closed');
    await handle.executeUpdate(dropHostUpdate, { args: ['to be recorded'] });
    await handle.signal(retryHostSignal);
    await ended();
  },
};

const timed: Script = {
  ...host('host-timed'),
  answers: {
    fetchSlice: inTurn(
      slice('wait', { closedBy: 'quota', waitMs: 50 }),
      slice('trouble', { lastError: 'connect: refused', waitMs: 50 }),
      slice('more', { queued: 50 }),
      slice('idle', { closedBy: 'opt-out', queued: 0 }),
    ),
  },
  act: ({ ended }) => ended(),
};

/** Somebody has come whom the trouble does not concern. */
const wokenInTrouble: Script = {
  ...host('host-woken-in-trouble'),
  answers: {
    fetchSlice: inTurn(slice('trouble', { lastError: 'server-errors: answered 500', waitMs: hour }), idle),
  },
  async act({ handle, shows, ended }) {
    await shows('backoff');
    await handle.signal(lostVisitSignal, null);
    await ended();
  },
};

const woken = gate({ retired: true });
const yielded: Script = {
  ...host('host-yielded'),
  answers: {
    fetchSlice: inTurn(slice('yield', { queued: 50 }), slice('yield', { queued: 500 }), slice('yield')),
    retireHost: inTurn({ retired: false }, woken.answer, { retired: true }),
  },
  async act({ handle, called, ended }) {
    await called('retireHost', 2);
    await handle.signal(wakeSignal);
    await handle.query('state');
    woken.open();
    await ended();
  },
};

const [cut, retried] = [gate(slice('yield', { queued: 500 })), gate(slice('more'))];
const pausedAtWork: Script = {
  ...host('host-paused-visiting'),
  answers: {
    fetchSlice: inTurn(cut.answer, retried.answer, idle),
    ...{ setHostPause: nothing, unparkHost: always(counts(5)) },
    cutVisit: nothing,
  },
  async act({ handle, called, shows, ended }) {
    await called('fetchSlice');
    await handle.signal(pauseHostSignal, 'to be recorded');
    await called('cutVisit');
    cut.open();
    await shows('paused');
    await handle.executeUpdate(retryHostUpdate);
    await handle.signal(resumeHostSignal);
    await called('fetchSlice', 2);
    const asked = handle.executeUpdate(retryHostUpdate);
    await called('cutVisit', 2);
    retried.open();
    await asked;
    await ended();
  },
};

const visit = gate(idle);
const wokenAtWork: Script = {
  ...host('host-woken-visiting'),
  answers: { fetchSlice: inTurn(visit.answer, idle) },
  async act({ handle, called, ended }) {
    await called('fetchSlice');
    await handle.signal(wakeSignal);
    await handle.query('state');
    visit.open();
    await ended();
  },
};

const [looked, silent] = [gate({ ...counts(5), ...parked }), gate(probed('fails', hour))];
const adopted: Script = {
  ...host('host-adopted-parked', { adopted: true }),
  run: 'first',
  answers: {
    lookAtHost: inTurn({ ...counts(5), ...parked }, looked.answer, { ...counts(5), ...parked }),
    probeHost: () => silent.answer,
    parkHost: always({ ...counts(5), probeMs: hour, restMs: 0 }),
  },
  async act({ handle, called, shows }) {
    await shows('parked');
    await handle.signal(wakeSignal);
    await called('lookAtHost', 2);
    await handle.signal(wakeSignal);
    await handle.query('state');
    looked.open();
    await called('lookAtHost', 3);
    await shows('parked');
    await handle.signal(askHostSignal);
    await called('probeHost');
    // Woken and cancelled meanwhile: it goes on as a new run before it looks.
    await handle.signal(wakeSignal);
    await handle.cancel();
    await handle.query('state');
    silent.open();
  },
};

const parking = gate({ ...counts(5), probeMs: 1, restMs: 0 });
const askedAndRedriven: Script = {
  ...host('host-asked-redriven'),
  answers: {
    fetchSlice: inTurn(slice('more'), spent, idle),
    parkHost: () => parking.answer,
    dropHost: always({ ...counts(5), dropped: 0 }),
    probeHost: inTurn(
      probed('not-yet', 10),
      probed('not-yet', 10),
      probed('fails', hour),
      probed('moved'),
      probed('fails', hour),
    ),
    lookAtHost: always({ ...counts(5), ...parked }),
    ...{ redriveLetters: always(redriven), countHost: always(counts(50)), unparkHost: always(counts(5)) },
  },
  async act({ handle, called, shows, ended }) {
    await called('parkHost');
    await handle.executeUpdate(dropHostUpdate, { args: [null] });
    parking.open();
    await called('probeHost');
    await shows('parked');
    await handle.signal(askHostSignal);
    await called('probeHost', 3);
    await handle.signal(askHostSignal);
    await called('lookAtHost');
    await shows('parked');
    await handle.executeUpdate(redriveHostUpdate, { args: [{ class: 'client-error' }] });
    await called('lookAtHost', 2);
    await handle.executeUpdate(redriveHostUpdate, { args: [null] });
    await ended();
  },
};

const broken: Script = {
  ...host('host-failed'),
  answers: { fetchSlice: inTurn<SliceResult>(ApplicationFailure.nonRetryable('something else')) },
  act: ({ ended }) => ended(),
};

/** Sent to a region, on to one whose workers do not come, and back; probed there too. */
const toRegion = (name: string, patienceMs = 60_000): Partial<SliceResult> => ({
  region: { name, patienceMs },
});
const inRegions: Script = {
  ...host('host-in-regions'),
  answers: {
    fetchSlice: inTurn(
      slice('elsewhere', toRegion(regionWithWorkers)),
      slice('more'),
      slice('elsewhere', toRegion('nowhere', 300)),
      slice('elsewhere', toRegion(regionWithWorkers)),
      slice('more'),
      slice('elsewhere', toRegion('nowhere', 300)),
      spent,
      idle,
    ),
    parkHost: always({ ...counts(5), probeMs: 1, restMs: 0 }),
    probeHost: inTurn(
      { ...probed('elsewhere'), region: { name: regionWithWorkers, patienceMs: 60_000 } },
      probed('answers'),
    ),
    unparkHost: always(counts(5)),
  },
  act: ({ ended }) => ended(),
};

export const hostScripts: readonly Script[] = [
  ...[operated, timed, wokenInTrouble, yielded, pausedAtWork, wokenAtWork, adopted, askedAndRedriven, broken],
  inRegions,
];
