/** Activities that work at re-extractions: engine/reextraction/ with heartbeats. */
import { Context } from '@temporalio/activity';
import type { ReextractionActivities } from '../contracts/activities.ts';
import { workAtReextraction, type ReextractionTools } from '../engine/reextraction/job.ts';
import { cancelReextraction } from '../storage/reextraction/index.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

/** One call ends after this many milliseconds, so that people see figures now and then. */
const callMs = 20_000;

export const createReextractionActivities = (tools: ReextractionTools): ReextractionActivities => ({
  reextract: ({ reextractionId }) =>
    withOwnFaults(() =>
      withHeartbeat((signal) => {
        const end = performance.now() + callMs;
        const goOn = (): boolean => performance.now() < end && !signal.aborted;
        return workAtReextraction(tools, reextractionId, goOn, signal, Context.current().info.attempt);
      }),
    ),

  cancelReextraction: ({ reextractionId }) =>
    withOwnFaults(async () => {
      await cancelReextraction(tools.pool, reextractionId, null);
    }),
});
