/** Activities that make the files of exports: engine/exports/ with heartbeats. */
import { Context } from '@temporalio/activity';
import type { ExportActivities } from '../contracts/activities.ts';
import { makeExport, type ExportTools } from '../engine/exports/job.ts';
import { cancelExport } from '../storage/exports/index.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

/** One call ends after this many milliseconds, so that people see figures now and then. */
const callMs = 20_000;

export const createExportActivities = (tools: ExportTools): ExportActivities => ({
  makeExport: ({ exportId }) =>
    withOwnFaults(() =>
      withHeartbeat((signal) => {
        const end = performance.now() + callMs;
        const goOn = (): boolean => performance.now() < end && !signal.aborted;
        return makeExport(tools, exportId, goOn, signal, Context.current().info.attempt);
      }),
    ),

  cancelExport: ({ exportId }) =>
    withOwnFaults(async () => {
      await cancelExport(tools.pool, exportId, null);
    }),
});
