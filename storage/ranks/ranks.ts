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

/** Another import, or the removal of the ranking, began after this import. */
export class OvertakenImport extends Error {}

/**
 * Stores all entries and removes those of earlier imports afterwards, so that at any time there is a ranking. An import
 * that is cut off leaves what it stored beside the earlier entries; the next import puts that right. If there is no
 * entry at all, the earlier ranking stays. Of two imports at once the one that began last holds, and the other throws
 * `OvertakenImport`. Refusing the later one was rejected: an import whose process died would have to be found out
 * first. Answers how many domains are ranked then.
 */
export async function importRanks(pool: Pool, entries: AsyncIterable<Ranked>): Promise<number> {
  let edition = null as string | null;
  let held: Ranked[] = [];
  const store = async (): Promise<void> => {
    // An import begins with its first entry: a body that is no ranking overtakes nobody.
    const own = (edition ??= await begin(pool));
    const json = JSON.stringify(held);
    const [after] = await retrying(() => storeRanks(pool, own, json));
    if (after?.latest !== true) throw new OvertakenImport();
    held = [];
  };
  for await (const entry of entries) {
    held.push(entry);
    if (held.length >= batch) await store();
  }
  if (held.length > 0) await store();
  if (edition !== null) await removeBefore(pool, edition);
  return (await countRanks(pool))[0]?.domains ?? 0;
}

/** Removes the whole ranking, and ends imports under way. Answers how many domains it had. */
export const dropRanks = async (pool: Pool): Promise<number> => removeBefore(pool, await begin(pool));

const begin = async (pool: Pool): Promise<string> => (await nextEdition(pool))[0]?.edition ?? '0';

async function removeBefore(pool: Pool, edition: string): Promise<number> {
  for (let removed = 0; ;) {
    const [row] = await retrying(() => removeRanks(pool, edition, batch));
    if ((row?.domains ?? 0) === 0) return removed;
    removed += row?.domains ?? 0;
  }
}
