/**
 * The front queue of one shard: each tick feeds hosts that have due URLs, under a cap of active hosts. If cancelled,
 * the workflow ends, and the patrol starts it again.
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
import { feed } from './calls.ts';
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
    setCurrentDetails(
      `### Scheduler of shard ${String(input.shard)}\n\n${counted(result.active, 'host is', 'hosts are')} at work ` +
        `(at most ${String(result.cap)}); ${result.running ? 'crawls are running' : 'no crawl is running'}.`,
    );
    if (result.running) await condition(() => woken, tickMs, { summary: 'tick' });
    else await condition(() => woken, restMs, { summary: 'no crawl is running' });
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof scheduler>(input);
}
