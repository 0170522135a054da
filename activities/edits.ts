/** The edit activity: the frontier of a crawl is judged by settings that were changed, as Temporal sees it. */
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
