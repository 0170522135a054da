/** A backup whose process is frozen: its session goes on, and says nothing. */
import { expect, it } from 'vitest';
import {
  beginBackup,
  beginOnlyBackup,
  endFrozenBackup,
  endLeftCopies,
  holdArchive,
  holdsArchive,
  silentSeconds,
} from '../../../storage/backups/index.ts';
import { withPool } from '../../support/world.ts';

const pool = withPool();

it('gives way to the next one once it has been silent for its time, and finds that it has', async () => {
  const [frozen, copying, next] = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
  for (const client of [frozen, copying]) client.on('error', () => undefined);
  const isAlone = async () => (await beginOnlyBackup(next))[0]?.alone;
  try {
    expect(await beginOnlyBackup(frozen)).toEqual([{ alone: true }]);
    await holdArchive(frozen);
    expect(await isAlone()).toBe(false);
    // It has said something a moment ago.
    expect(await endFrozenBackup(next, silentSeconds)).toEqual([]);
    expect(await holdsArchive(frozen)).toEqual([{ held: true }]);
    expect(await isAlone()).toBe(false);

    expect(await endFrozenBackup(next, 0)).toHaveLength(1);
    expect(await isAlone()).toBe(true);
    // Thawed, it can name no backup.
    await expect(holdsArchive(frozen)).rejects.toThrow();

    // Its other session, which keeps the log of Postgres, goes as well.
    await beginBackup(copying, 'test');
    expect(await endLeftCopies(next)).toHaveLength(1);
    await expect(holdsArchive(copying)).rejects.toThrow();
    expect(await endLeftCopies(next)).toEqual([]);
  } finally {
    for (const client of [frozen, copying, next]) client.release(true);
  }
});
