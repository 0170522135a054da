/** Schedulers, edits and webhooks: rests, and runs that are too long. */
import {
  editWorkflowId,
  exportWorkflowId,
  reextractionWorkflowId,
  recrawlWorkflowId,
  schedulerWorkflowId,
  searchWorkflowId,
  wakeSignal,
  webhookWorkflowId,
  type SchedulerView,
} from '../../../contracts/workflows.ts';
import { newFront } from '../../../domain/front-queue/front-state.ts';
import type {
  EditProgress,
  ExportStep,
  FeedResult,
  IndexProgress,
  ReextractionStep,
} from '../../../contracts/activities.ts';
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

const progress: EditProgress = {
  ...{
    version: 2,
    state: 'pending',
    judged: 1_000,
    excluded: 1,
    readmitted: 1,
    reread: 0,
    admitted: 0,
    more: true,
  },
};
const editContinued: Script = {
  name: 'edit-continued',
  workflowId: editWorkflowId('21'),
  input: { crawlId: '21' },
  run: 'first',
  answers: {
    applyEdit: inTurn<EditProgress>(...Array.from({ length: 40 }, () => progress), {
      ...progress,
      more: false,
    }),
  },
  act: ({ handle }) => handle.result().then(() => undefined),
};

const recrawlRun: Script = {
  name: 'recrawl-run',
  workflowId: recrawlWorkflowId('22'),
  input: { crawlId: '22' },
  answers: { recrawl: inTurn({ noted: 3, queued: 2, over: false }) },
  act: ({ handle }) => handle.result().then(() => undefined),
};

const searchFollowed: Script = {
  name: 'search-followed',
  workflowId: searchWorkflowId('23'),
  input: { crawlId: '23' },
  answers: {
    indexPages: inTurn<IndexProgress>(
      { looked: 100, over: false, waitMs: 0 },
      { looked: 150, over: false, waitMs: 200 },
      { looked: 151, over: true, waitMs: 0 },
    ),
  },
  act: ({ handle }) => handle.result().then(() => undefined),
};

const searchContinued: Script = {
  name: 'search-continued',
  workflowId: searchWorkflowId('24'),
  input: { crawlId: '24' },
  run: 'first',
  answers: {
    indexPages: inTurn<IndexProgress>(
      ...Array.from({ length: 40 }, () => ({ looked: 100, over: false, waitMs: 10 })),
      { looked: 4_000, over: true, waitMs: 0 },
    ),
  },
  act: ({ handle }) => handle.result().then(() => undefined),
};

const step: ExportStep = { phase: 'pages', pages: 1_000, bytes: 300_000 };
const exportMade: Script = {
  name: 'export-made',
  workflowId: exportWorkflowId('31'),
  input: { exportId: '31' },
  answers: { makeExport: inTurn<ExportStep | null>(step, step, null) },
  act: ({ handle }) => handle.result().then(() => undefined),
};

const exportContinued: Script = {
  name: 'export-continued',
  workflowId: exportWorkflowId('32'),
  input: { exportId: '32' },
  run: 'first',
  answers: { makeExport: inTurn<ExportStep | null>(...Array.from({ length: 40 }, () => step), null) },
  act: ({ handle }) => handle.result().then(() => undefined),
};

const exportCancelled: Script = {
  name: 'export-cancelled',
  workflowId: exportWorkflowId('33'),
  input: { exportId: '33' },
  answers: {
    makeExport: inTurn<ExportStep | null>(step, new Promise(() => undefined)),
    cancelExport: () => Promise.resolve(),
  },
  async act({ handle, called, ended }) {
    await called('makeExport', 2);
    await handle.cancel();
    await ended();
  },
};

const read: ReextractionStep = { phase: 'reading', pages: 1_000, different: 20 };
const reextractionMade: Script = {
  name: 'reextraction-made',
  workflowId: reextractionWorkflowId('41'),
  input: { reextractionId: '41' },
  answers: { reextract: inTurn<ReextractionStep | null>(read, { ...read, phase: 'telling' }, null) },
  act: ({ handle }) => handle.result().then(() => undefined),
};

const reextractionContinued: Script = {
  name: 'reextraction-continued',
  workflowId: reextractionWorkflowId('42'),
  input: { reextractionId: '42' },
  run: 'first',
  answers: { reextract: inTurn<ReextractionStep | null>(...Array.from({ length: 40 }, () => read), null) },
  act: ({ handle }) => handle.result().then(() => undefined),
};

const reextractionCancelled: Script = {
  name: 'reextraction-cancelled',
  workflowId: reextractionWorkflowId('43'),
  input: { reextractionId: '43' },
  answers: {
    reextract: inTurn<ReextractionStep | null>(read, new Promise(() => undefined)),
    cancelReextraction: () => Promise.resolve(),
  },
  async act({ handle, called, ended }) {
    await called('reextract', 2);
    await handle.cancel();
    await ended();
  },
};

const sending = gate({ gone: false, waitMs: null });
const webhookWoken: Script = {
  name: 'webhook-woken',
  workflowId: webhookWorkflowId('woken'),
  input: { webhookId: 'woken' },
  answers: {
    deliverEvents: inTurn<{ gone: boolean; waitMs: number | null }>(
      ...[
        sending.answer,
        { gone: false, waitMs: null },
        { gone: false, waitMs: 50 },
        { gone: true, waitMs: null },
      ],
    ),
  },
  async act({ handle, called, ended }) {
    await called('deliverEvents');
    await handle.signal(wakeSignal);
    sending.open();
    await called('deliverEvents', 2);
    await new Promise((wake) => setTimeout(wake, 1_000));
    await handle.signal(wakeSignal);
    await ended();
  },
};

const webhookContinued: Script = {
  name: 'webhook-continued',
  workflowId: webhookWorkflowId('continued'),
  input: { webhookId: 'continued' },
  run: 'first',
  answers: {
    deliverEvents: inTurn<{ gone: boolean; waitMs: number | null }>(
      ...Array.from({ length: 40 }, () => ({ gone: false, waitMs: 0 })),
      { gone: true, waitMs: null },
    ),
  },
  act: ({ handle }) => handle.result().then(() => undefined),
};

export const otherScripts: readonly Script[] = [
  ...[schedulerContinued, schedulerLanesEnded, schedulerResting, editContinued, recrawlRun],
  ...[searchFollowed, searchContinued],
  ...[webhookWoken, webhookContinued],
  ...[exportMade, exportContinued, exportCancelled],
  ...[reextractionMade, reextractionContinued, reextractionCancelled],
];
