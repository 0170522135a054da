/** Schedulers and jobs: rests, and runs that are too long. */
import { jobWorkflowId, type JobKind, type Stint } from '../../../contracts/jobs.ts';
import { schedulerWorkflowId, wakeSignal, type SchedulerView } from '../../../contracts/workflows.ts';
import { newFront } from '../../../domain/front-queue/front-state.ts';
import { noneRedriven } from '../../../domain/dead-letter.ts';
import type { FeedResult } from '../../../contracts/activities.ts';
import { until } from '../../support/until.ts';
import { always, gate, inTurn, longHistory, type Script } from './stage.ts';

const fed: FeedResult = {
  ...{ started: 1, active: 1, cap: 8, running: true, unread: false, readers: 1, askedBack: 0, restMs: 0 },
  given: { byTier: [1, 0, 0], authority: 1, explored: 0 },
  front: newFront(1),
};

const reading = gate({ bodies: 1 });
const schedulerContinued: Script = {
  name: 'scheduler-continued',
  workflowId: schedulerWorkflowId(1),
  input: { shard: 1 },
  run: 'first',
  answers: {
    feed: inTurn({ ...fed, unread: true }),
    dedup: always({ bodies: 1 }),
    extract: inTurn({ bodies: 1 }, reading.answer),
  },
  async act({ handle, events }) {
    await events(longHistory);
    // It feeds a last time, and waits for what is being read.
    await handle.signal(wakeSignal);
    await new Promise((wake) => setTimeout(wake, 3_000));
    reading.open();
  },
};

const lastBatch = gate({ bodies: 1 });
/** Its lanes take their time to end: it feeds on meanwhile. */
const schedulerLanesEnded: Script = {
  name: 'scheduler-lanes-ended-continued',
  workflowId: schedulerWorkflowId(3),
  input: { shard: 3 },
  run: 'first',
  uncut: ['extract'],
  answers: {
    feed: inTurn({ ...fed, unread: true }),
    dedup: always({ bodies: 1 }),
    extract: inTurn({ bodies: 1 }, lastBatch.answer),
  },
  async act({ handle, events }) {
    await events(longHistory);
    const ticks = async (): Promise<number> => (await handle.query<SchedulerView>('state')).ticks;
    const before = await ticks();
    await until('it feeds on while a lane ends', async () => (await ticks()) >= before + 4);
    lastBatch.open();
  },
};

const schedulerResting: Script = {
  name: 'scheduler-resting',
  workflowId: schedulerWorkflowId(2),
  input: { shard: 2 },
  answers: { feed: inTurn({ ...fed, running: false }, { ...fed, restMs: 5_000 }) },
  async act({ handle, called }) {
    await called('feed');
    await handle.query('state');
    await handle.signal(wakeSignal);
    await called('feed', 2);
    await handle.query('state');
  },
};

const rendered = gate({ bodies: 1 });
/** Pages are rendered in a lane for each process that has a browser, beside those that read. */
const schedulerRenders: Script = {
  name: 'scheduler-renders',
  workflowId: schedulerWorkflowId(4),
  input: { shard: 4 },
  answers: {
    feed: inTurn({ ...fed, unread: true }, { ...fed, renderers: 2 }),
    dedup: always({ bodies: 1 }),
    extract: always({ bodies: 1 }),
    render: inTurn({ bodies: 1 }, rendered.answer),
  },
  async act({ handle, called }) {
    await called('render', 3);
    await handle.signal(wakeSignal);
    await called('feed', 4);
    rendered.open();
  },
};

const stint = { view: { looked: 1_000 }, words: '1000 pages looked at', over: false, waitMs: 0 };
const over: Stint = { ...stint, over: true };
const long = (): readonly Stint[] => Array.from({ length: 40 }, () => stint);
const asked = (kind: JobKind, id: string) => ({
  workflowId: jobWorkflowId(kind, id),
  input: { kind, id },
});

const jobMade: Script = {
  name: 'job-made',
  ...asked('search', '23'),
  answers: { work: inTurn<Stint>(stint, { ...stint, waitMs: 200 }, over) },
  act: ({ handle }) => handle.result().then(() => undefined),
};

/** What Postgres does not hold goes from run to run. */
const jobContinued: Script = {
  name: 'job-continued',
  ...asked('redrive', '24'),
  run: 'first',
  answers: {
    work: inTurn<Stint>(
      ...long().map((each) => ({
        ...each,
        place: { after: 'here', view: { ...noneRedriven, unparked: false } },
      })),
      over,
    ),
  },
  act: ({ handle }) => handle.result().then(() => undefined),
};

/** The stints after which a new run begins, and the last of them has ended the job. */
const stintsOfRun = 33;
const jobEndedLong: Script = {
  name: 'job-ended-long',
  ...asked('search', '25'),
  answers: { work: inTurn<Stint>(...long().slice(0, stintsOfRun - 1), over) },
  act: ({ handle }) => handle.result().then(() => undefined),
};

const cut = (name: string, kind: JobKind, id: string): Script => ({
  name,
  ...asked(kind, id),
  answers: {
    work: inTurn<Stint>(stint, new Promise(() => undefined)),
    cancelJob: () => Promise.resolve(),
  },
  async act({ handle, called, ended }) {
    await called('work', 2);
    await handle.cancel();
    await ended();
  },
});

const lastStint = gate(over);
/** While it works, while it waits for more, and while it would end. */
const jobWoken: Script = {
  name: 'job-woken',
  ...asked('webhook', 'woken'),
  answers: {
    work: inTurn<Stint>(
      ...[lastStint.answer, { ...stint, waitMs: 600_000 }, { ...over, waitMs: 600_000 }, over],
    ),
  },
  async act({ handle, called, ended }) {
    await called('work');
    await handle.signal(wakeSignal);
    lastStint.open();
    for (const stints of [2, 3]) {
      await called('work', stints);
      await new Promise((wake) => setTimeout(wake, 1_000));
      await handle.signal(wakeSignal);
    }
    await ended();
  },
};

export const otherScripts: readonly Script[] = [
  ...[schedulerContinued, schedulerLanesEnded, schedulerResting, schedulerRenders],
  ...[jobMade, jobContinued, jobEndedLong, jobWoken],
  ...[cut('job-cancelled', 'export', '33'), cut('job-left', 'edit', '21')],
];
