/**
 * The schedules of standing crawls. A schedule holds nothing that it alone knows: if somebody deletes it, or Temporal
 * loses its data, it is made anew; whether it is paused is for operators to say, and stays.
 */
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type ScheduleClient,
} from '@temporalio/client';
import { jobWorkflowId } from '../contracts/jobs.ts';
import { jobWorkflow } from './open-workflows.ts';

export type Schedules = Pick<ScheduleClient, 'create' | 'getHandle'>;

/** Makes the schedule of a crawl. False: there is one already, which is not touched. */
export async function scheduleRecrawl(
  schedules: Schedules,
  crawlId: string,
  everySeconds: number,
): Promise<boolean> {
  try {
    await schedules.create({
      scheduleId: jobWorkflowId('recrawl', crawlId),
      spec: { intervals: [{ every: everySeconds * 1_000 }] },
      action: {
        type: 'startWorkflow',
        workflowType: 'job',
        ...jobWorkflow({ kind: 'recrawl', id: crawlId }),
      },
      // What a run misses the next one finds due: nothing has to be made up for.
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
      state: { note: `fetches the pages of crawl ${crawlId} again as they become due` },
    });
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

export async function unscheduleRecrawl(schedules: Schedules, crawlId: string): Promise<void> {
  try {
    await schedules.getHandle(jobWorkflowId('recrawl', crawlId)).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
