/** Activities that redrive dead letters (G7) and have a parked host come back: engine/letters/ with heartbeats. */
import { WorkflowNotFoundError, WorkflowUpdateStage, type WorkflowClient } from '@temporalio/client';
import type { ControlActivities } from '../contracts/activities.ts';
import { hostWorkflowId, retryHostUpdate } from '../contracts/workflows.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { redriveLetters, unpark } from '../engine/letters/redrive.ts';
import { isHostParked } from '../storage/hosts/index.ts';
import { reopenCrawl } from './open-workflows.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

/** One call ends after this many milliseconds, so that people see figures now and then. */
const callMs = 10_000;

export function createRedriveActivities(
  dependencies: Dependencies,
  workflows: WorkflowClient,
): Pick<ControlActivities, 'redriveLetters' | 'retryHost'> {
  const { pool } = dependencies;
  const reopen = (crawlId: string): Promise<void> => reopenCrawl(workflows, crawlId);
  return {
    redriveLetters: (input) =>
      withOwnFaults(() =>
        withHeartbeat((signal) => {
          const end = performance.now() + callMs;
          const goOn = (): boolean => performance.now() < end && !signal.aborted;
          return redriveLetters(dependencies, reopen, input, goOn);
        }),
      ),

    retryHost: ({ origin }) =>
      withOwnFaults(async () => {
        const [host] = await isHostParked(pool, origin);
        if (host?.parked !== true) return { unparked: false };
        try {
          await workflows
            .getHandle(hostWorkflowId(origin))
            .startUpdate(retryHostUpdate, { waitForStage: WorkflowUpdateStage.ACCEPTED });
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
          // Somebody terminated the workflow: unparked, the host is found by the search for lost hosts.
          await unpark(dependencies, reopen, host.id);
        }
        return { unparked: true };
      }),
  };
}
