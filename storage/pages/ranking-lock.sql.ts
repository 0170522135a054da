/** One process at a time chooses which of several copies stands for the others. */
import { statement } from '../postgres/index.ts';

/** The number of the advisory lock, as text. */
export const rankingLock = String(0x636f7079);

/** Waits until nobody else chooses among copies, and keeps others from it until the end of the transaction. */
export const holdRanking = statement<[]>('hold-ranking')`select from pg_advisory_xact_lock(${rankingLock})`;

/** As `holdRanking`; no row: somebody else chooses. */
export const claimRanking = statement<[], { claimed: true }>('claim-ranking')`
   select true as claimed where pg_try_advisory_xact_lock(${rankingLock})`;
