/** The schedule of backups, which holds nothing that it alone knows: where it is missing it is made anew. */
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type ScheduleClient,
} from '@temporalio/client';
import { jobWorkflowId } from '../contracts/jobs.ts';
import type { Chore } from '../engine/chores.ts';
import { jobWorkflow } from './open-workflows.ts';

const job = { kind: 'backup', id: 'stack' } as const;
const scheduleId = jobWorkflowId(job.kind, job.id);

/** @param hours between two backups; null: none are made */
export function backupSchedule(
  schedules: Pick<ScheduleClient, 'create' | 'getHandle'>,
  hours: number | null,
): Chore {
  const run = hours === null ? () => remove(schedules) : () => keep(schedules, hours);
  return {
    everyMs: 60_000,
    looks: [{ run, fault: 'the schedule of backups could not be kept', warns: true }],
  };
}

async function keep(schedules: Pick<ScheduleClient, 'create' | 'getHandle'>, hours: number): Promise<void> {
  const spec = { intervals: [{ every: hours * 3_600_000 }] };
  try {
    await schedules.create({
      scheduleId,
      spec,
      action: { type: 'startWorkflow', workflowType: 'job', ...jobWorkflow(job) },
      // One that was missed while the stack was down is made once it is up.
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
      state: { note: 'backs up the data folder', triggerImmediately: true },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const handle = schedules.getHandle(scheduleId);
    const known = (await handle.describe()).spec.intervals?.map(({ every }) => every);
    // Whether it is paused is for operators to say, and stays.
    if (known?.length !== 1 || known[0] !== spec.intervals[0]?.every)
      await handle.update((before) => ({ ...before, spec }));
  }
}

async function remove(schedules: Pick<ScheduleClient, 'getHandle'>): Promise<void> {
  try {
    await schedules.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
