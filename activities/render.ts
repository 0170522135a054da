/** The render activity: engine/rendering/round.ts over a lane, with heartbeats and failures for Temporal. */
import type { RenderActivities } from '../contracts/activities.ts';
import { storedStages } from '../domain/stage.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { LaneBook, workLane } from '../engine/reading/lane.ts';
import { Company } from '../engine/rendering/company.ts';
import { renderPages, type RenderTools } from '../engine/rendering/round.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

/** Pages of a look, for each that is rendered at a time: so the first of a newcomer is not far behind. */
const ahead = 2;

/** @param together pages that are rendered at a time */
export function createRenderActivities(
  dependencies: Dependencies,
  tools: Pick<RenderTools, 'archive' | 'renderer'>,
  together: number,
): RenderActivities {
  const book = new LaneBook();
  const company = new Company();
  return {
    render: (lane) =>
      withOwnFaults(() =>
        withHeartbeat(async (signal) => ({
          bodies: await workLane(
            dependencies,
            lane,
            storedStages.render,
            book,
            signal,
            (pages) => renderPages({ ...dependencies, ...tools, company }, pages, together, signal),
            ahead * together,
          ),
        })),
      ),
  };
}
