/** The extract activity: engine/reading/read-pages.ts with heartbeats and failures for Temporal. */
import type { Extractor } from '../content/extract.ts';
import type { ExtractActivities } from '../contracts/activities.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { createReading } from '../engine/reading/read-pages.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

export function createExtractActivities(dependencies: Dependencies, extractor: Extractor): ExtractActivities {
  const extract = createReading(dependencies, extractor);
  return { extract: (host) => withOwnFaults(() => withHeartbeat(() => extract(host))) };
}
