/** The activities of jobs: their kinds (engine/) with heartbeats and failures for Temporal. */
import { Context } from '@temporalio/activity';
import type { WorkflowClient } from '@temporalio/client';
import type { JobActivities, JobKind } from '../contracts/jobs.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { editJobs } from '../engine/edits/apply.ts';
import type { Job } from '../engine/jobs/job.ts';
import { redriveJobs } from '../engine/letters/redrive.ts';
import { recrawlJobs } from '../engine/recrawl/run.ts';
import { withOwnFaults } from './failures.ts';
import { forAWhile, withHeartbeat } from './heartbeat.ts';
import { reopenCrawl } from './open-workflows.ts';
import { retryHost } from './redrive.ts';
import { wakeSchedulers } from './wake-schedulers.ts';

export type Jobs = Readonly<Partial<Record<JobKind, Job>>>;

/** @param jobs the kinds whose queue the worker serves */
export function createJobActivities(jobs: Jobs): JobActivities {
  const of = (kind: JobKind): Job => {
    const job = jobs[kind];
    if (job === undefined) throw new Error(`this worker knows no jobs of the kind ${kind}`);
    return job;
  };
  return {
    work: ({ kind, ...call }) =>
      withOwnFaults(() =>
        withHeartbeat((signal) => {
          const tries = Context.current().info.attempt;
          return of(kind).work({ ...call, signal, tries, goOn: forAWhile(signal) });
        }),
      ),
    cancelJob: ({ kind, id }) =>
      withOwnFaults(() =>
        withHeartbeat(async () => {
          await of(kind).cancel?.(id);
        }),
      ),
  };
}

/** Those that are worked beside crawls. */
export function crawlJobs(dependencies: Dependencies, workflows: WorkflowClient): Jobs {
  const { pool, settings } = dependencies;
  const reopen = (crawlId: string): Promise<void> => reopenCrawl(workflows, crawlId);
  return {
    edit: editJobs(dependencies, reopen),
    recrawl: recrawlJobs(pool, () => wakeSchedulers(pool, workflows, settings.shards)),
    redrive: redriveJobs(dependencies, reopen, (origin) => retryHost(dependencies, workflows, origin)),
  };
}
