/** Tries of a scheduled backup that fail before there is a backup that could note itself, or are frozen. */
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/config.ts';
import {
  beginOnlyBackup,
  lastBackup,
  noteBackup,
  noteFailedTry,
  silentSeconds,
} from '../../../storage/backups/index.ts';
import { backupJobs } from '../../../workers/backups.ts';
import { tables } from '../../support/database/index.ts';
import { testFolder } from '../../support/given.ts';
import { seemToRun } from '../../support/running-stack.ts';
import { silentPostgres } from '../../support/silent-postgres.ts';
import { withPool } from '../../support/world.ts';

const pool = withPool();

it('is noted with what the command said, once', async () => {
  const dataDir = testFolder();
  seemToRun(dataDir);
  const backupTarget = path.join(dataDir, 'inside');
  const { signal } = new AbortController();
  const job = backupJobs({ ...loadConfig(), dataDir, backupTarget }, pool);
  const tried = job.work({ id: 'stack', tries: 1, signal, goOn: () => true });
  await expect(tried).rejects.toThrow(/would be lost with it/);
  const noted = await tables.backup.rows(pool);
  expect(noted).toMatchObject([
    { bytes: null, error: expect.stringMatching(/would be lost with it/) as string },
  ]);
  expect(await lastBackup(pool)).toEqual([]);

  // A backup that has begun has noted itself: why it failed, it knows better.
  const beganAt = Date.now();
  const own = { id: 'own', beganAt: beganAt + 1, bytes: null, added: null, error: 'its disk is full' };
  await noteBackup(pool, JSON.stringify(own));
  await noteFailedTry(pool, beganAt, 'it ended with 2');
  expect(await tables.backup.count(pool)).toBe(2);
});

describe('one that is frozen is ended by its worker', () => {
  /** Begins one that waits for a Postgres that is silent, and answers how it ended. */
  async function frozen(watch: Parameters<typeof backupJobs>[2]): Promise<unknown> {
    const dataDir = testFolder();
    seemToRun(dataDir, { postgresUrl: (await silentPostgres()).url });
    const job = backupJobs({ ...loadConfig(), dataDir, backupTarget: testFolder() }, pool, watch);
    const { signal } = new AbortController();
    return job.work({ id: 'stack', tries: 1, signal, goOn: () => true });
  }
  const watch = { everyMs: 50, looks: Infinity, silentSeconds };
  const killed = /the backup failed: the command ended with SIGKILL/;

  it('also before it has its lock', async () => {
    await expect(frozen({ ...watch, looks: 3 })).rejects.toThrow(killed);
  });

  it('by its session, once that has said nothing', async () => {
    const session = await pool.connect();
    const lost = once(session, 'error');
    try {
      await beginOnlyBackup(session);
      await expect(frozen({ ...watch, silentSeconds: 0 })).rejects.toThrow(killed);
      await lost;
    } finally {
      session.release(true);
    }
  });
});
