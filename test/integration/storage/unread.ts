/** Bodies that wait for a stage, as a lane finds them in its first look. */
import type { ReadingLane } from '../../../contracts/activities.ts';
import { readingTurns } from '../../../domain/reading-turns.ts';
import { bodiesInStage, hostsInStage, type StagedBody } from '../../../storage/pages/index.ts';
import type { Queryable } from '../../../storage/postgres/index.ts';

/** No process renders pages. */
export const nobodyRenders = { isThere: () => Promise.resolve(false) };

export async function unreadBodies(
  db: Queryable,
  stage: 1 | 2 | 3,
  lane: ReadingLane,
  limit: number,
  folder: string | null = null,
): Promise<StagedBody[]> {
  const rows = await hostsInStage(db, lane, stage, new Map());
  const crawls = rows.map(({ crawl_id: crawlId, tenant_id: tenantId, hosts }) => ({
    ...{ crawlId, tenantId, hosts },
  }));
  return bodiesInStage(db, readingTurns(crawls, limit), stage, folder);
}
