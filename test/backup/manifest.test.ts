/** What a manifest may say: whatever lies in a folder comes back, nothing leads out of it, and one is there only if it can be read. */
import { expect, it } from 'vitest';
import { findBackup, listBackups, nameBackup } from '../../backup/list.ts';
import { backupOf, MemoryRepository } from './memory.ts';

it.each([
  'postgres/pg_hba.conf~',
  'postgres/#pg_hba.conf#',
  'postgres/base/5/a file',
  'postgres/été',
  'postgres/...',
])('a file named %s is in a backup that can be read', async (path) => {
  const repository = new MemoryRepository();
  const made = backupOf({ folders: [path], files: [{ path, pieces: [] }] });
  await nameBackup(repository, made);
  expect(await findBackup(repository, null)).toEqual(made);
});

it.each([
  'postgres',
  'postgres/',
  'postgres//etc',
  'postgres/../x',
  'postgres/./x',
  '/etc/passwd',
  'run/x',
  'blobs/..',
  'temporal/a\0b',
])('nothing is written that names %j, and the backups that are there stay readable', async (path) => {
  const repository = new MemoryRepository();
  await nameBackup(repository, backupOf({}));
  await expect(nameBackup(repository, backupOf({ files: [{ path, pieces: [] }] }))).rejects.toThrow(
    'could not be read again',
  );
  expect(await listBackups(repository)).toHaveLength(1);
});
