/** Seeds for an existing crawl (F01). */
import { standsAs } from '../../contracts/crawl.ts';
import type { Response } from 'express';
import { storeSeeds, type SeedLine } from '../../storage/seeds/index.ts';
import { noSuchCrawl } from './crawl-ids.ts';
import type { Dependencies } from '../dependencies.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { refuseSpent } from './quotas.ts';

export interface MoreSeeds {
  readonly tenantId: number;
  /** A crawl of that tenant. */
  readonly crawlId: string;
  readonly seeds: readonly SeedLine[];
  /** 'new': only seeds that the crawl has not met; absent: all of them. */
  readonly which?: 'new';
}

/**
 * Answers the seeds that were added. When it answers the seeds are stored, and they are admitted within some seconds
 * whatever process is killed. A crawl that had run out of work goes on with them. @throws HttpProblem 409 if the crawl
 * was ended, 403 or 429 for a quota
 */
export async function addSeeds(
  { pool, control, log }: Dependencies,
  response: Response,
  { tenantId, crawlId, seeds, which }: MoreSeeds,
): Promise<readonly SeedLine[]> {
  const intake = await storeSeeds(pool, tenantId, crawlId, seeds, which);
  switch (intake.kind) {
    case 'unknown':
      return noSuchCrawl(crawlId);
    case 'over': {
      const why = intake.reason === null ? '' : ` (${intake.reason})`;
      throw new HttpProblem(409, `Crawl ${crawlId} ${standsAs(intake.state)}${why}: it takes no more seeds.`);
    }
    case 'spent':
      return refuseSpent(response, intake.spent);
    case 'added':
      if (intake.reopened)
        await control.reopen(crawlId).catch((error: unknown) => {
          log.warn({ err: error, crawlId }, 'a crawl with new seeds will go on as soon as Temporal answers');
        });
      return intake.seeds;
  }
}
