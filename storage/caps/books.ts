/**
 * Turns at the books of groups: one transaction for many groups, under the locks of their rows. Processes whose time is
 * over are removed first, and those that are alive are read after the locks are held, so that nobody's permits are
 * given to others while that process may still send.
 */
import { currentBooks, isEmpty, type GroupBooks } from '../../domain/caps.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import {
  addGroups,
  forgetHolders,
  liveHolders,
  lockGroups,
  removeGroups,
  writeGroups,
  type GroupRow,
} from './permits.sql.ts';

export interface GroupTurn {
  readonly name: string;
  /** Absent: as at the last turn. */
  readonly restMs?: number;
  /** What becomes of the books; null: they stay. @param now by the database's clock, in milliseconds */
  readonly turn: (books: GroupBooks, now: number) => GroupBooks | null;
}

/** All of `turns` or none; each may be run more than once, and its last run counts. */
export const atBooks = (pool: Pool, turns: readonly GroupTurn[]): Promise<void> =>
  inTransaction(pool, (db) => allTurns(db, turns));

async function allTurns(db: Queryable, turns: readonly GroupTurn[]): Promise<void> {
  await forgetHolders(db);
  const rows = await locked(db, turns.map(({ name }) => name)); // prettier-ignore
  const alive = new Set((await liveHolders(db)).map(({ id }) => id));
  const changed: { name: string; books: GroupBooks }[] = [];
  const over: string[] = [];
  for (const { name, restMs, turn } of turns) {
    const row = rows.get(name);
    if (row === undefined) throw new Error(`the group ${name} has no row`);
    const books = turn(currentBooks(row.books, alive, row.now_ms, restMs), row.now_ms);
    if (books === null) continue;
    if (isEmpty(books)) over.push(name);
    else changed.push({ name, books });
  }
  if (changed.length > 0) await writeGroups(db, JSON.stringify(changed));
  if (over.length > 0) await removeGroups(db, over);
}

/** A row that somebody has just removed is made again. */
async function locked(db: Queryable, names: readonly string[]): Promise<Map<string, GroupRow>> {
  for (;;) {
    await addGroups(db, names);
    const rows = await lockGroups(db, names);
    if (rows.length === names.length) return new Map(rows.map((row) => [row.name, row]));
  }
}
