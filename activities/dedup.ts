/** The dedup activity: engine/reading/dedup.ts with heartbeats and failures for Temporal. */
import type { DedupActivities } from '../contracts/activities.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { createDedup } from '../engine/reading/dedup.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

export function createDedupActivities(dependencies: Pick<Dependencies, 'pool' | 'writer'>): DedupActivities {
  const dedup = createDedup(dependencies);
  return { dedup: (host) => withOwnFaults(() => withHeartbeat(() => dedup(host))) };
}
