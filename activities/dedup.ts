/** The dedup activity: engine/reading/dedup.ts over a lane, with heartbeats and failures for Temporal. */
import type { DedupActivities } from '../contracts/activities.ts';
import { storedStages } from '../domain/stage.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { createDedup } from '../engine/reading/dedup.ts';
import { LaneBook, workLane } from '../engine/reading/lane.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

export function createDedupActivities(
  dependencies: Pick<
    Dependencies,
    'pool' | 'folder' | 'outage' | 'log' | 'traps' | 'soft404' | 'rendering' | 'pressure' | 'bells'
  >,
): DedupActivities {
  const { traps, soft404, rendering } = dependencies;
  const judge = createDedup(dependencies, async (bodies) => {
    await traps.repeated(bodies);
    await soft404.stored(bodies);
    await rendering.gains.note(bodies.map((page) => ({ page, words: 0, links: 0 })));
  });
  const book = new LaneBook();
  return {
    dedup: (lane) =>
      withOwnFaults(() =>
        withHeartbeat(async (signal) => ({
          bodies: await workLane(dependencies, lane, storedStages.dedup, book, signal, judge),
        })),
      ),
  };
}
