/** The edit activity: engine/edits/apply.ts with heartbeats and failures for Temporal. */
import type { WorkflowClient } from '@temporalio/client';
import type { ControlActivities } from '../contracts/activities.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { createApplyEdits } from '../engine/edits/apply.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';
import { reopenCrawl } from './open-workflows.ts';

export function createEditActivities(
  dependencies: Dependencies,
  workflows: WorkflowClient,
): Pick<ControlActivities, 'applyEdit'> {
  const apply = createApplyEdits(dependencies, (crawlId) => reopenCrawl(workflows, crawlId));
  return {
    applyEdit: ({ crawlId }) => withOwnFaults(() => withHeartbeat((signal) => apply(crawlId, signal))),
  };
}
