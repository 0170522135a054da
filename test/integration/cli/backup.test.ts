/**
 * A backup of a stack that does not run, on a data folder of its own.
 * @module-tag long
 */
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newId } from '../../../backup/manifest.ts';
import { loadConfig } from '../../../config/config.ts';
import { startStack } from '../../../stack/embedded.ts';
import { lastBackup } from '../../../storage/backups/index.ts';
import { createPool, lookAtDatabase, migrate, type DatabaseLook } from '../../../storage/postgres/index.ts';
import { runCli } from '../../cli/run-cli.ts';
import { tables } from '../../support/database/index.ts';
import { testFolder } from '../../support/given.ts';
import { seemToRun } from '../../support/running-stack.ts';

/** Before the table of backups. */
const older = '0094_backups';

it('one before an update copies the database as it is, with whatever lies in its folder', async () => {
  const [dataDir, migrations, target] = [testFolder(), testFolder(), testFolder()];
  cpSync(fileURLToPath(new URL('../../../storage/migrations', import.meta.url)), migrations, {
    recursive: true,
  });
  for (const name of readdirSync(migrations)) if (name >= older) rmSync(path.join(migrations, name));
  const env = { ORBWEAVER_DATA: dataDir };
  expect(await runCli(['backup', target], env)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is nothing to back up') as string,
  });
  expect(readdirSync(dataDir)).toEqual([]);

  /** What the database says of itself while Postgres runs for the moment. */
  const looked = async (prepare: (url: string) => Promise<unknown>): Promise<DatabaseLook> => {
    // As a launcher that was killed leaves it.
    seemToRun(dataDir, { launcher: { pid: process.pid, began: 'long ago' } });
    const stack = await startStack({
      config: loadConfig({ ...process.env, ...env }),
      ...({ owner: 'crawl', ports: 'any', workers: [], api: false, services: 'postgres' } as const),
      migrate: async (url) => {
        expect(existsSync(path.join(dataDir, 'run', 'stack.json'))).toBe(false);
        await prepare(url);
      },
    });
    try {
      return await lookAtDatabase(stack.postgresUrl);
    } finally {
      await stack.stop();
    }
  };
  const before = await looked((url) => migrate(url, migrations));
  expect(before.pending[0]).toBe(older);
  writeFileSync(path.join(dataDir, 'postgres', 'pg_hba.conf~'), 'left by an editor');

  const made = await runCli(['backup', target, '--keep', '1', '--json'], env);
  expect(made).toMatchObject({ code: 0 });
  expect((await looked(() => Promise.resolve())).pending).toEqual(before.pending);

  // What cannot be removed costs no backup: it is there, and the next one may remove more.
  mkdirSync(path.join(target, 'removed'));
  writeFileSync(path.join(target, 'removed', `${newId(new Date())}_cut.json`), '{');
  const kept = await runCli(['backup', target, '--keep', '1', '--json'], env);
  expect(kept).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/made, but older ones could not be removed.* is damaged/) as string,
  });
  const listed = await runCli(['backup', 'list', target, '--json'], env);
  expect(JSON.parse(listed.stdout)).toMatchObject({ id: (JSON.parse(kept.stdout) as { id: string }).id });
});

it('one takes the bodies from where the running stack has them, and is not whole where it finds none', async () => {
  const [dataDir, blobDir, target] = [testFolder(), testFolder(), testFolder()];
  const env = { ORBWEAVER_DATA: dataDir };
  const body = Buffer.from('a body');
  writeFileSync(path.join(blobDir, '1.zst'), body);
  const stack = await startStack({
    config: loadConfig({ ...process.env, ...env, ORBWEAVER_BLOBS: blobDir }),
    ...({ owner: 'crawl', ports: 'any', workers: [], api: false, services: 'postgres' } as const),
    migrate: async (url) => {
      await migrate(url);
    },
  });
  const pool = createPool(stack.postgresUrl, 2, () => undefined);
  try {
    const segment = { name: '1.zst', owner: randomUUID(), state: 'sealed', length: body.length } as const;
    await tables.segment.add(pool, segment);
    // Neither was told of the folder.
    expect(await runCli(['backup', target], env)).toMatchObject({ code: 0 });
    const [whole] = await lastBackup(pool);
    expect(whole).toBeDefined();

    rmSync(path.join(blobDir, '1.zst'));
    expect(await runCli(['backup', target], env)).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('LACKS BODIES') as string,
      stderr: expect.stringMatching(
        /lacks the bodies of 1 segment \(missing, or too short, in .*\): 1\.zst\./,
      ) as string,
    });
    expect(await lastBackup(pool)).toMatchObject([{ bytes: whole?.bytes }]);
    expect((await tables.backup.rows(pool)).at(-1)?.error).toContain('1.zst');
  } finally {
    await pool.end();
    await stack.stop();
  }
});
