/** How fresh a standing crawl is, and what a goal can reach. */
import { wholeConfig } from '../../contracts/crawl.ts';
import type { FreshnessPreview, FreshnessView } from '../../contracts/http/freshness.ts';
import { counted, grouped } from '../../domain/counted.ts';
import type { KeepFresh } from '../../domain/recrawl/keep-fresh.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import { loadCrawls } from '../../storage/crawls/index.ts';
import { countDue, findStanding, freshnessSamples, percentOf } from '../../storage/recrawl/index.ts';
import { reachable } from './planning.ts';

const mostOverdue = 1_000;

/** Null: there is no such crawl. */
export async function freshnessOf(
  db: Queryable,
  crawlId: string,
  limit: number,
): Promise<FreshnessView | null> {
  const [crawl] = await loadCrawls(db, [Number(crawlId)]);
  if (crawl === undefined) return null;
  const [standing] = await findStanding(db, crawlId);
  const [due] = await countDue(db, crawlId, mostOverdue);
  const samples = await freshnessSamples(db, crawlId, limit);
  const { keepFresh } = wholeConfig(crawl.config);
  return {
    crawlId,
    keepFresh: keepFresh && { ...keepFresh },
    pages: standing?.pages ?? 0,
    plan:
      standing === undefined || standing.share === null || standing.planned_at === null
        ? null
        : {
            share: percentOf(standing.share),
            leftOut: standing.left_out,
            ratesKnown: standing.planned_rates,
            madeAt: standing.planned_at.toISOString(),
          },
    overdue: due?.due ?? 0,
    nextDue: due?.next?.toISOString() ?? null,
    samples,
  };
}

/** What can be reached, told before a goal is set. */
export async function previewGoal(
  db: Queryable,
  crawlId: string,
  keepFresh: KeepFresh,
): Promise<FreshnessPreview> {
  const [standing] = await findStanding(db, crawlId);
  const { pages, ratesKnown, best, needed, floor } = await reachable(
    db,
    crawlId,
    standing?.pages ?? 0,
    keepFresh,
  );
  if (pages === 0) return { pages, ratesKnown, best: null, needed: null, floor: null, met: true };
  const told = ({ share, visits, leftOut }: typeof best) => ({
    share: percentOf(share),
    requestsPerDay: Math.ceil(visits),
    leftOut,
  });
  return {
    pages,
    ratesKnown,
    best: told(best),
    needed: needed && told(needed),
    floor,
    // To the precision in which it is told.
    met: keepFresh.share === null || percentOf(best.share) >= keepFresh.share,
  };
}

/** Why a goal is refused, with what can be reached instead; null: it is not. */
export function refusalOf(
  { share, requestsPerDay, intervals }: KeepFresh,
  told: FreshnessPreview,
): string | null {
  if (told.met || told.best === null) return null;
  const { best, needed, floor } = told;
  if (floor !== null) {
    const { pageClass, neededSeconds } = floor;
    const setting = `intervals.${pageClass}.floorSeconds`;
    const now = `${setting} is ${grouped(intervals[pageClass].floorSeconds)}`;
    return neededSeconds === null
      ? `no number of requests reaches ${String(share)} %: pages are not fetched so often (${now}), and a lower floor of one class alone does not make up for it; lower the floors of all classes, or the share`
      : `no number of requests reaches ${String(share)} %: pages are not fetched so often, since ${now}; with ${grouped(neededSeconds)} it can be reached`;
  }
  const instead =
    needed === null
      ? 'no number of requests reaches it'
      : `${String(share)} % takes about ${counted(needed.requestsPerDay, 'request')} a day`;
  return `${String(share)} % cannot be reached with ${counted(requestsPerDay, 'request')} a day: at most ${String(best.share)} % can, which leaves out ${grouped(best.leftOut)} of ${counted(told.pages, 'page')}; ${instead}`;
}
