/**
 * The front queue of one shard: each tick feeds hosts that have due URLs, under a cap of active hosts, and sees to it
 * that fetched bodies are read. Bodies are read in lanes, one for each share of the hosts: a lane is one activity that
 * goes on for as long as bodies come, up to a minute. Pages are rendered in lanes too. Before the workflow goes on as a new run it has its lanes end, and
 * feeds on until they have. If cancelled, the workflow ends, and the patrol starts it again.
 */
import { counted } from '../domain/counted.ts';
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  schedulerStateQuery,
  wakeSignal,
  type SchedulerCarried,
  type SchedulerDecision,
  type SchedulerInput,
} from '../contracts/workflows.ts';
import { addPlaces, newFront, noPlaces } from '../domain/front-queue/front-state.ts';
import { sharesTold } from './scheduler-desk.ts';
import { lanesOfReader } from '../domain/stage.ts';
import type { FeedResult } from '../contracts/activities.ts';
import { dedup, extract, feed, render } from './calls.ts';
import { orCancelled } from './cancelling.ts';

/** Milliseconds between ticks while work waits. */
const tickMs = 1_000;
/** Milliseconds between two searches for lost hosts, which cost more than feeding. */
const lostMs = 5_000;
/** Milliseconds between ticks while no crawl is running. Starting a crawl wakes the scheduler. */
const restMs = 300_000;
/**
 * Events of a run. A worker that takes the workflow over replays them all within the time of one workflow task: a thousand
 * take it two seconds where ten others want the processor, and four thousand, after which the server asks for a new run,
 * took longer than the task may.
 */
const longHistory = 1_000;

export async function scheduler(input: SchedulerInput): Promise<void> {
  let woken = false;
  let fed = 0;
  let ticks = 0;
  let searchedAt = 0;
  let activeHosts = 0;
  let cap = 0;
  let carried = input.carried ?? begun();
  const reading = new Reading(input.shard);
  setHandler(
    wakeSignal,
    () => {
      woken = true;
    },
    {
      description: 'Says that a crawl was started or resumed, or that a host is due: look for due hosts now.',
    },
  );
  setHandler(
    schedulerStateQuery,
    () => {
      const { front, given, decisions } = carried;
      return { shard: input.shard, activeHosts, cap, fed, ticks, mode: front.mode, given, decisions };
    },
    { description: 'What the scheduler does, and how it gave the last places.' },
  );

  /** A run lasts as long as it may, since each run that ends adds a line to the list of closed workflows. */
  const isOver = async (): Promise<boolean> => {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    const isLong =
      continueAsNewSuggested || (historyLength > longHistory && patched('runs-of-bounded-length'));
    if (!isLong) return false;
    if (patched('feeds-while-lanes-end')) {
      reading.end();
      return !reading.isBusy && allHandlersFinished();
    }
    await condition(() => allHandlersFinished() && !reading.isBusy);
    return true;
  };
  while (!(await isOver())) {
    woken = false;
    const lost = Date.now() - searchedAt >= lostMs;
    if (lost) searchedAt = Date.now();
    const result = await orCancelled(feed({ shard: input.shard, lost, front: carried.front }));
    ticks++;
    fed += result.started;
    activeHosts = result.active;
    ({ cap } = result);
    carried = decided(carried, result);
    if (result.unread) reading.begin(lanesOfReader * result.readers);
    if ((result.renderers ?? 0) > 0 && patched('pages-are-rendered')) reading.render(result.renderers ?? 0);
    setCurrentDetails(
      `### Scheduler of shard ${String(input.shard)}\n\n${counted(result.active, 'host is', 'hosts are')} at work ` +
        `(at most ${String(cap)}); ${result.running ? 'crawls are running' : 'no crawl is running'}.\n\n` +
        sharesTold(carried),
    );
    if (result.restMs > tickMs) await condition(() => woken, result.restMs, { summary: 'nothing is due' });
    else if (result.running) await condition(() => woken, tickMs, { summary: 'tick' });
    else await condition(() => woken, restMs, { summary: 'no crawl is running' });
  }
  await continueAsNew<typeof scheduler>({ shard: input.shard, carried });
}

/** Decisions that are kept for people to look at. */
const mostDecisions = 10;

const begun = (): SchedulerCarried => ({
  version: 1,
  front: newFront(Math.floor(Math.random() * 2 ** 32)),
  given: noPlaces,
  decisions: [],
});

function decided(before: SchedulerCarried, { front, given, askedBack }: FeedResult): SchedulerCarried {
  const places = given.byTier[0] + given.byTier[1] + given.byTier[2];
  const decision: SchedulerDecision = { at: Date.now(), mode: front.mode, ...given, askedBack };
  const decisions = places + askedBack === 0 ? before.decisions : [decision, ...before.decisions];
  return {
    version: 1,
    front,
    given: addPlaces(before.given, given),
    decisions: decisions.slice(0, mostDecisions),
  };
}

/** The activities that read the bodies of a shard, and those that render its pages, one for each lane. */
class Reading {
  readonly #shard: number;
  #lanes = 1;
  #renderLanes = 1;
  readonly #busy = new Set<string>();
  readonly #scope = new CancellationScope();

  constructor(shard: number) {
    this.#shard = shard;
  }

  get isBusy(): boolean {
    return this.#busy.size > 0;
  }

  get #isReading(): boolean {
    return [...this.#busy].some((name) => !name.startsWith('render'));
  }

  /** Has the lanes end after the batch that each has in hand, and begins no more. */
  end(): void {
    this.#scope.cancel();
  }

  /** Starts the lanes that do not run. The number of lanes changes only while none runs: two would share hosts. */
  begin(lanes: number): void {
    if (this.#scope.consideredCancelled) return;
    if (!this.#isReading) this.#lanes = lanes;
    this.#run('dedup', () => dedup({ shard: this.#shard, lane: 0, lanes: 1 }));
    for (let lane = 0; lane < this.#lanes; lane++)
      this.#run(`extract ${String(lane)}`, () => extract({ shard: this.#shard, lane, lanes: this.#lanes }));
  }

  /** The same for pages that are rendered: a lane for each process that has a browser. */
  render(lanes: number): void {
    if (this.#scope.consideredCancelled) return;
    if (![...this.#busy].some((name) => name.startsWith('render'))) this.#renderLanes = lanes;
    for (let lane = 0; lane < this.#renderLanes; lane++)
      this.#run(`render ${String(lane)}`, () =>
        render({ shard: this.#shard, lane, lanes: this.#renderLanes }),
      );
  }

  #run(name: string, activity: () => Promise<unknown>): void {
    if (this.#busy.has(name)) return;
    this.#busy.add(name);
    const done = (): void => void this.#busy.delete(name);
    // Activities are retried until they succeed: only a cancellation ends one with an error.
    this.#scope.run(activity).then(done, done);
  }
}
