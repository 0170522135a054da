/** How fresh a standing crawl was, hour by hour. */
import type { FreshnessSample } from '../../contracts/http/freshness.ts';
import type { Queryable } from '../postgres/index.ts';
import { listSamples } from './standing.sql.ts';

/** Shares are told to a hundredth of a percent. */
export const percentOf = (share: number): number => Math.round(share * 10_000) / 100;

/** The latest samples, newest first. */
export async function freshnessSamples(
  db: Queryable,
  crawlId: string,
  limit: number,
): Promise<FreshnessSample[]> {
  return (await listSamples(db, crawlId, limit)).map(
    ({ at, pages, fresh, checked, left_out: leftOut, queued }) => ({
      at: at.toISOString(),
      pages,
      fresh: percentOf(fresh),
      checked: checked === null ? null : percentOf(checked),
      leftOut,
      requests: queued,
    }),
  );
}
