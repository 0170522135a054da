/**
 * The front queue of one shard: each tick feeds hosts that have due URLs, under a cap of active hosts, and sees to it
 * that fetched bodies are read. Bodies are read in lanes, one for each share of the hosts: a lane is one activity that
 * goes on for as long as bodies come, up to a minute. If cancelled, the workflow ends, and the patrol starts it again.
 */
import { counted } from '../domain/counted.ts';
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { schedulerStateQuery, wakeSignal, type SchedulerInput } from '../contracts/workflows.ts';
import { lanesOfReader } from '../domain/stage.ts';
import { dedup, extract, feed } from './calls.ts';
import { orCancelled } from './cancelling.ts';

const tickMs = 1_000;
/** Lost hosts are looked for every so many ticks, since that costs more than feeding. */
const lostEvery = 5;
/** Milliseconds between ticks while no crawl is running. Starting a crawl wakes the scheduler. */
const restMs = 300_000;

export async function scheduler(input: SchedulerInput): Promise<void> {
  let woken = false;
  let fed = 0;
  let ticks = 0;
  let activeHosts = 0;
  const reading = new Reading(input.shard);
  setHandler(
    wakeSignal,
    () => {
      woken = true;
    },
    { description: 'Says that a crawl was started or resumed: look for due hosts now.' },
  );
  setHandler(schedulerStateQuery, () => ({ activeHosts, fed, ticks }), {
    description: 'Counts of this run of the scheduler.',
  });

  // A run lasts as long as the server allows, since each run that ends adds a line to the list of closed workflows.
  while (!workflowInfo().continueAsNewSuggested) {
    woken = false;
    const result = await orCancelled(feed({ shard: input.shard, lost: ticks % lostEvery === 0 }));
    ticks++;
    fed += result.started;
    activeHosts = result.active;
    if (result.unread) reading.begin(lanesOfReader * result.readers);
    setCurrentDetails(
      `### Scheduler of shard ${String(input.shard)}\n\n${counted(result.active, 'host is', 'hosts are')} at work ` +
        `(at most ${String(result.cap)}); ${result.running ? 'crawls are running' : 'no crawl is running'}.`,
    );
    if (result.running) await condition(() => woken, tickMs, { summary: 'tick' });
    else await condition(() => woken, restMs, { summary: 'no crawl is running' });
  }
  await condition(() => allHandlersFinished() && !reading.isBusy);
  await continueAsNew<typeof scheduler>(input);
}

/** The activities that read the bodies of a shard, one for each lane. */
class Reading {
  readonly #shard: number;
  #lanes = 1;
  readonly #busy = new Set<string>();

  constructor(shard: number) {
    this.#shard = shard;
  }

  get isBusy(): boolean {
    return this.#busy.size > 0;
  }

  /** Starts the lanes that do not run. The number of lanes changes only while none runs: two would share hosts. */
  begin(lanes: number): void {
    if (!this.isBusy) this.#lanes = lanes;
    this.#run('dedup', () => dedup({ shard: this.#shard, lane: 0, lanes: 1 }));
    for (let lane = 0; lane < this.#lanes; lane++)
      this.#run(`extract ${String(lane)}`, () => extract({ shard: this.#shard, lane, lanes: this.#lanes }));
  }

  #run(name: string, activity: () => Promise<unknown>): void {
    if (this.#busy.has(name)) return;
    this.#busy.add(name);
    const done = (): void => void this.#busy.delete(name);
    // Activities are retried until they succeed: only a cancellation of the workflow ends one with an error.
    activity().then(done, done);
  }
}
