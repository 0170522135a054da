/** What people change of re-extractions: judged and done under the lock of the crawl, so that two at once do not cross. */
import {
  mostOfCrawl,
  refusal,
  type ReextractionChange,
  type ReextractionFacts,
} from '../../domain/reextraction/may.ts';
import { lockCrawls } from '../crawls/index.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import {
  addReextraction,
  leaveReextraction,
  reextractionRows,
  stateOf,
  turnReextraction,
  useReextraction,
  type ReextractionRow,
} from './jobs.sql.ts';

/** Why a change is refused, for people. */
interface Refused {
  readonly refused: string;
}

const factsOf = (row: ReextractionRow): ReextractionFacts => ({
  ...row.progress,
  id: row.id,
  state: stateOf(row),
});

/** All of a crawl, the latest first. */
export const listReextractions = (db: Queryable, crawlId: string): Promise<ReextractionRow[]> =>
  reextractionRows.list(db, crawlId, String(Number.MAX_SAFE_INTEGER), mostOfCrawl);

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
    const [added] = await addReextraction(db, crawlId, mostOfCrawl);
    if (added === undefined) throw new Error('Postgres returned no id for the re-extraction');
    return added.id;
  });

const changes = {
  switch: { isInUse: true, isSettled: false },
  undo: { isInUse: false, isSettled: false },
  keep: { phase: 'keeping' },
  remove: { phase: 'removing' },
  cancel: { phase: 'cancelled' },
} as const;
type Change = keyof typeof changes;

const turn = (db: Queryable, id: string, change: Change) =>
  turnReextraction(db, id, JSON.stringify(changes[change]), change === 'cancel');

/** Null: it is done. The job must be one of the crawl. */
export const changeReextraction = (
  pool: Pool,
  crawlId: string,
  id: string,
  change: Change,
): Promise<Refused | null> =>
  judged(pool, crawlId, change, id, async (db) => {
    if (change === 'switch') await useReextraction(db, crawlId, id);
    if (change === 'undo') await leaveReextraction(db, crawlId, id);
    await turn(db, id, change);
    return null;
  });

/** If it is being made. */
export const cancelReextraction = (db: Queryable, id: string) => turn(db, id, 'cancel');
