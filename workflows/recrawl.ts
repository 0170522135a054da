/**
 * One run over the pages of a standing crawl: notes what its visits have found, and queues what is due (F31). The
 * crawl's schedule starts a run every minute or two, never two at once, and is paused, triggered and backfilled in
 * Temporal Web. Runs do what is due by the clock and by the budget: a run more or less changes nothing else.
 */
import { setCurrentDetails } from '@temporalio/workflow';
import type { RecrawlRun } from '../contracts/activities.ts';
import type { RecrawlInput } from '../contracts/workflows.ts';
import { recrawl as recrawlDue } from './calls.ts';
import { orCancelled } from './cancelling.ts';

export async function recrawl({ crawlId }: RecrawlInput): Promise<RecrawlRun> {
  const run: RecrawlRun = await orCancelled(recrawlDue({ crawlId }));
  setCurrentDetails(
    run.over
      ? `Crawl ${crawlId} does not keep its pages fresh any more.`
      : `Crawl ${crawlId}: visits noted ${String(run.noted)}, pages queued again ${String(run.queued)}.`,
  );
  return run;
}
