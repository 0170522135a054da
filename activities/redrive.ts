/** Redrives dead letters for workflows of hosts (G7), and has a parked host come back: engine/letters/ with heartbeats. */
import { WorkflowNotFoundError, WorkflowUpdateStage, type WorkflowClient } from '@temporalio/client';
import type { ControlActivities } from '../contracts/activities.ts';
import { hostWorkflowId, retryHostUpdate } from '../contracts/workflows.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { redriveLetters, unpark } from '../engine/letters/redrive.ts';
import { isHostParked } from '../storage/hosts/index.ts';
import { reopenCrawl } from './open-workflows.ts';
import { withOwnFaults } from './failures.ts';
import { forAWhile, withHeartbeat } from './heartbeat.ts';

export const createRedriveActivities = (
  dependencies: Dependencies,
  workflows: WorkflowClient,
): Pick<ControlActivities, 'redriveLetters'> => ({
  redriveLetters: (input) =>
    withOwnFaults(() =>
      withHeartbeat((signal) =>
        redriveLetters(dependencies, (crawlId) => reopenCrawl(workflows, crawlId), input, forAWhile(signal)),
      ),
    ),
});

/** Sends the update `retry` to the workflow of a parked host; false: the host was not parked. */
export async function retryHost(
  dependencies: Dependencies,
  workflows: WorkflowClient,
  origin: string,
): Promise<boolean> {
  const [host] = await isHostParked(dependencies.pool, origin);
  if (host?.parked !== true) return false;
  try {
    await workflows
      .getHandle(hostWorkflowId(origin))
      .startUpdate(retryHostUpdate, { waitForStage: WorkflowUpdateStage.ACCEPTED });
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    // Somebody terminated the workflow: unparked, the host is found by the search for lost hosts.
    await unpark(dependencies, (crawlId) => reopenCrawl(workflows, crawlId), host.id);
  }
  return true;
}
