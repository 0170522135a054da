/**
 * Keeps the index for searches of one crawl, in many calls, so that people see the progress: until the crawl is over and
 * all its pages are in. Postgres holds how far it is, so that a crash repeats at most one batch. If cancelled, the
 * workflow ends in order, and the patrol starts it again for the rest.
 */
import { continueAsNew, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { IndexProgress } from '../contracts/activities.ts';
import type { SearchWorkflowInput } from '../contracts/workflows.ts';
import { counted } from '../domain/counted.ts';
import { indexPages } from './calls.ts';
import { orCancelled } from './cancelling.ts';

export async function search({ crawlId }: SearchWorkflowInput): Promise<IndexProgress> {
  for (;;) {
    const progress: IndexProgress = await orCancelled(indexPages({ crawlId }));
    setCurrentDetails(`### Search in crawl ${crawlId}\n\n${counted(progress.looked, 'page')} looked at`);
    if (progress.over) return progress;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof search>({ crawlId });
    if (progress.waitMs > 0) await sleep(progress.waitMs);
  }
}
