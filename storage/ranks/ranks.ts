/** Imports a ranking of domains, batch by batch, in place of the one before. */
import { type Pool, retrying } from '../postgres/index.ts';
import { countRanks, nextEdition, removeRanks, storeRanks } from './ranks.sql.ts';

export interface Ranked {
  readonly domain: string;
  /** From 1, the best. */
  readonly place: number;
}

/** Entries stored, or removed, in one statement. */
const batch = 5_000;

/**
 * Stores all entries and removes those of earlier imports afterwards, so that at any time there is a ranking. An import
 * that is cut off leaves what it stored beside the earlier entries; the next import puts that right. If there is no
 * entry at all, the earlier ranking stays. Answers how many domains are ranked then.
 */
export async function importRanks(pool: Pool, entries: AsyncIterable<Ranked>): Promise<number> {
  const [next] = await nextEdition(pool);
  const edition = next?.edition ?? '0';
  let held: Ranked[] = [];
  let stored = 0;
  const store = async (): Promise<void> => {
    const json = JSON.stringify(held);
    await retrying(() => storeRanks(pool, edition, json));
    stored += held.length;
    held = [];
  };
  for await (const entry of entries) {
    held.push(entry);
    if (held.length >= batch) await store();
  }
  if (held.length > 0) await store();
  if (stored > 0) await removeAll(pool, edition);
  return (await countRanks(pool))[0]?.domains ?? 0;
}

/** Removes the whole ranking. Answers how many domains it had. */
export const dropRanks = (pool: Pool): Promise<number> => removeAll(pool, null);

async function removeAll(pool: Pool, edition: string | null): Promise<number> {
  for (let removed = 0; ;) {
    const [row] = await retrying(() => removeRanks(pool, edition, batch));
    if ((row?.domains ?? 0) === 0) return removed;
    removed += row?.domains ?? 0;
  }
}
