/** The extract activity: engine/reading/read-pages.ts over a lane, with heartbeats and failures for Temporal. */
import type { Extractor } from '../content/extract.ts';
import type { ExtractActivities } from '../contracts/activities.ts';
import { storedStages } from '../domain/stage.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { LaneBook, workLane } from '../engine/reading/lane.ts';
import { PageReader } from '../engine/reading/read-pages.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

export function createExtractActivities(dependencies: Dependencies, extractor: Extractor): ExtractActivities {
  const reader = new PageReader(dependencies, extractor);
  const book = new LaneBook();
  return {
    extract: (lane) =>
      withOwnFaults(() =>
        withHeartbeat(async (signal) => ({
          bodies: await workLane(dependencies, lane, storedStages.extract, book, signal, (found) =>
            reader.read(found),
          ),
        })),
      ),
  };
}
