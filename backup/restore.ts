/**
 * Brings a backup back into an empty data folder. A file in the folder says that it is not whole, until everything is
 * done: whatever starts there is refused, and a restore that was cut short begins anew.
 */
import { chownSync, existsSync, readFileSync } from 'node:fs';
import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { StackError } from '../stack/errors.ts';
import { openDataFolder, restoringFile } from '../stack/folder.ts';
import { adoptCluster, userFor } from '../stack/postgres.ts';
import type { SystemUser } from '../stack/system-user.ts';
import {
  countHostsAsAsked,
  countTurnsAsTaken,
  moveIdsOn,
  spendQuotas,
  tellOfRestore,
} from '../storage/backups/index.ts';
import { allowWalk, inTransaction } from '../storage/postgres/index.ts';
import { printOf } from './make.ts';
import type { Manifest } from './manifest.ts';
import { filesOf } from './parts.ts';
import { withPool } from './session.ts';
import { unlessMissing, type Repository } from './repository.ts';

/** What a stack makes at once, and a restore may find. */
const ofAnyStack: readonly string[] = ['run', 'logs'];

/**
 * Puts all files of a backup into a data folder, with a password of its own for Postgres. The folder is refused by whatever
 * starts a stack until `endRestore`.
 * @param key the content of the file of `--keys`; null: none
 * @throws StackError where the folder has something, or the key is another's; DamagedPart
 */
export async function placeBackup(
  config: Pick<Config, 'dataDir' | 'blobDir'>,
  repository: Repository,
  backup: Manifest,
  key: string | null,
): Promise<void> {
  if (key !== null && printOf(key) !== backup.keyPrint)
    throw new StackError('The file of --keys has another key than the instance had when it was backed up.');
  // Before anything is made: what is missing now, no patience brings back.
  const there = new Set(await repository.names('parts/'));
  const lost = backup.parts.find(({ name }) => !there.has(name));
  if (lost !== undefined)
    throw new StackError(`The backup ${backup.id} is not whole: ${lost.name} is missing.`);
  const { dataDir, blobDir } = config;
  await expectEmpty(config);
  const folder = await openDataFolder(dataDir, true);
  try {
    await expectEmpty(config);
    await writeFile(restoringFile(dataDir), blobDir, { mode: 0o600, flush: true });
    await clear(dataDir, (name) => ![...ofAnyStack, path.basename(restoringFile(dataDir))].includes(name));
    await clear(blobDir);
    await placeFiles(config, repository, backup);
    if (key !== null) await writeFile(path.join(dataDir, 'secret-key'), key, { mode: 0o600, flush: true });
    await adoptCluster(folder);
  } finally {
    folder.lock.release();
  }
}

/** The folder is whole from now on. */
export const endRestore = (dataDir: string): Promise<void> => rm(restoringFile(dataDir));

/** Empty, or all that is in it comes from a restore that was cut short. @throws StackError */
async function expectEmpty({ dataDir, blobDir }: Pick<Config, 'dataDir' | 'blobDir'>): Promise<void> {
  const begun = existsSync(restoringFile(dataDir)) ? readFileSync(restoringFile(dataDir), 'utf8') : null;
  const namesIn = async (folder: string): Promise<string[]> => (await unlessMissing(readdir(folder))) ?? [];
  const found =
    (begun === null && (await namesIn(dataDir)).some((name) => !ofAnyStack.includes(name)) && dataDir) ||
    (begun !== blobDir && (await namesIn(blobDir)).length > 0 && blobDir);
  if (found !== false)
    throw new StackError(
      `${found} is not empty, and nothing is restored over what is there: name an empty folder with ${found === dataDir ? 'ORBWEAVER_DATA' : 'ORBWEAVER_BLOBS'}.`,
    );
}

async function clear(folder: string, isMeant: (name: string) => boolean = () => true): Promise<void> {
  for (const name of (await unlessMissing(readdir(folder))) ?? [])
    if (isMeant(name)) await rm(path.join(folder, name), { recursive: true, force: true });
}

async function placeFiles(
  { dataDir, blobDir }: Pick<Config, 'dataDir' | 'blobDir'>,
  repository: Repository,
  backup: Manifest,
): Promise<void> {
  const user = userFor({ root: dataDir });
  const placeOf = (name: string): string =>
    name.startsWith('blobs/') ? path.join(blobDir, name.slice('blobs/'.length)) : path.join(dataDir, name);
  const ownerOf = (name: string): SystemUser | null => (/^postgres(\/|$)/.test(name) ? user : null);
  const own = (at: string, owner: SystemUser | null): void => {
    if (owner !== null) chownSync(at, owner.uid, owner.gid);
  };
  await mkdir(blobDir, { recursive: true, mode: 0o700 });
  for (const name of ['postgres', ...(backup.hasTemporal ? ['temporal'] : []), ...backup.folders]) {
    await mkdir(placeOf(name), { mode: 0o700 });
    own(placeOf(name), ownerOf(name));
  }
  for (const { path: name, bytes } of filesOf(repository, backup)) {
    const handle = await open(placeOf(name), 'wx', 0o600);
    try {
      for await (const some of bytes) await handle.writeFile(some);
      // Postgres brings its own files to the disk when it starts after what is to it a crash.
      if (!name.startsWith('postgres/')) await handle.sync();
    } finally {
      await handle.close();
    }
    own(placeOf(name), ownerOf(name));
  }
}

/** What holds in a database from its restore on (storage/backups/restoring.sql.ts). Answers how many hosts there are. */
export const passOverUnknown = (databaseUrl: string, { moment }: Pick<Manifest, 'moment'>): Promise<number> =>
  withPool(databaseUrl, (pool) =>
    inTransaction(pool, async (db) => {
      await allowWalk(db);
      await moveIdsOn(db);
      await tellOfRestore(db, moment);
      await countTurnsAsTaken(db);
      await spendQuotas(db);
      return (await countHostsAsAsked(db))[0]?.hosts ?? 0;
    }),
  );
