/**
 * A job of any kind (contracts/jobs.ts): stints of some seconds, so that people see the progress. Postgres holds how far
 * the job is, so that a crash repeats at most one step. A signal wakes a job that waits, and one that would end makes
 * another stint. If it is cancelled, the workflow ends after the step in hand.
 */
import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { jobKinds, jobStateQuery, type JobActivities, type JobInput, type Stint } from '../contracts/jobs.ts';
import { wakeSignal } from '../contracts/workflows.ts';
import { optionsOfJob } from './calls.ts';
import { orCancelled } from './cancelling.ts';
import { consoleLink } from './workflow-link.ts';

export async function job(input: JobInput): Promise<unknown> {
  const { kind, id } = input;
  const { title, cancels } = jobKinds[kind];
  const { work, cancelJob } = proxyActivities<JobActivities>(optionsOfJob(kind));
  let stint: Stint | null = null;
  let woken = false;
  const isWoken = (): boolean => woken;
  setHandler(
    wakeSignal,
    () => {
      woken = true;
    },
    { description: 'Says that there is something to do: look now.' },
  );
  setHandler(jobStateQuery, () => stint?.view ?? null, { description: 'How far the job is.' });
  let { place = null } = input;
  try {
    for (;;) {
      woken = false;
      stint = await orCancelled(work({ ...input, place }));
      ({ place = null } = stint);
      const { over, waitMs, words } = stint;
      setCurrentDetails(`### ${title} ${id}${consoleLink(workflowInfo().memo?.['console'])}\n\n${words}`);
      if (waitMs > 0) await condition(isWoken, waitMs, { summary: over ? 'idle' : 'until there is more' });
      if (over && !isWoken()) return stint.view;
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof job>({ ...input, place });
    }
  } catch (error) {
    if (cancels && isCancellation(error))
      await CancellationScope.nonCancellable(() => cancelJob({ kind, id }));
    throw error;
  }
}
