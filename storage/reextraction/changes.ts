/** What people change of re-extractions: judged and done under the lock of the crawl, so that two at once do not cross. */
import { refusal, type ReextractionChange, type ReextractionFacts } from '../../domain/reextraction/may.ts';
import { lockCrawls } from '../crawls/index.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import {
  addReextraction,
  cancelReextraction,
  leaveReextraction,
  listReextractions,
  turnReextraction,
  useReextraction,
  type ReextractionRow,
} from './jobs.sql.ts';

/** Why a change is refused, for people. */
interface Refused {
  readonly refused: string;
}

const factsOf = ({ id, state, in_use, turns, settled }: ReextractionRow): ReextractionFacts => ({
  id,
  state,
  isInUse: in_use,
  isSettled: settled === turns,
});

const judged = <T>(
  pool: Pool,
  crawlId: string,
  change: ReextractionChange,
  id: string | undefined,
  work: (db: Queryable) => Promise<T>,
): Promise<T | Refused> =>
  inTransaction(pool, async (db) => {
    await lockCrawls(db, [Number(crawlId)]);
    const why = refusal(change, (await listReextractions(db, crawlId)).map(factsOf), id);
    return why === null ? work(db) : { refused: why };
  });

/** Answers the id. The crawl must be there. */
export const startReextraction = (pool: Pool, crawlId: string): Promise<string | Refused> =>
  judged(pool, crawlId, 'start', undefined, async (db) => {
    const [added] = await addReextraction(db, crawlId);
    if (added === undefined) throw new Error('Postgres returned no id for the re-extraction');
    return added.id;
  });

/** Null: it is done. The job must be one of the crawl. */
export const changeReextraction = (
  pool: Pool,
  crawlId: string,
  id: string,
  change: Exclude<ReextractionChange, 'start'>,
): Promise<Refused | null> =>
  judged(pool, crawlId, change, id, async (db) => {
    switch (change) {
      case 'switch':
        await useReextraction(db, crawlId, id);
        break;
      case 'undo':
        await leaveReextraction(db, crawlId, id);
        break;
      case 'keep':
        await turnReextraction(db, id, 'keeping');
        break;
      case 'remove':
        await turnReextraction(db, id, 'removing');
        break;
      case 'cancel':
        await cancelReextraction(db, id, crawlId);
    }
    return null;
  });
