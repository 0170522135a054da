/**
 * Brings a backup back into an empty data folder. A file in the folder says that it is not whole, until everything is
 * done: whatever starts there is refused, and a restore that was cut short begins anew.
 */
import { chownSync, existsSync, readFileSync } from 'node:fs';
import { mkdir, open, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { counted } from '../domain/counted.ts';
import { StackError } from '../stack/errors.ts';
import { openDataFolder, present, restoringFile } from '../stack/folder.ts';
import { adoptCluster, userFor } from '../stack/postgres.ts';
import type { SystemUser } from '../stack/system-user.ts';
import {
  connectedOthers,
  countHostsAsAsked,
  countTurnsAsTaken,
  endSignIns,
  moveIdsOn,
  spendQuotas,
  tellOfRestore,
} from '../storage/backups/index.ts';
import { allowWalk, inTransaction } from '../storage/postgres/index.ts';
import { hasAnyKey } from './keys.ts';
import type { BackedFile, Manifest, Piece } from './manifest.ts';
import { filesOf } from './parts.ts';
import { withPool } from './session.ts';
import { unlessMissing, type Repository } from './repository.ts';

/** What a stack makes at once, and a restore may find. */
const ofAnyStack: readonly string[] = ['run', 'logs'];

/**
 * Puts all files of a backup into a data folder, with a password of its own for Postgres. The folder is refused by whatever
 * starts a stack until `endRestore`.
 * @param key the content of the file of `--keys`; null: none
 * @throws StackError where the folder has something, the disk has too little room, or the key is another's; DamagedPart
 */
export async function placeBackup(
  config: Pick<Config, 'dataDir' | 'blobDir'>,
  repository: Repository,
  backup: Manifest,
  key: string | null,
): Promise<void> {
  if (key !== null && !hasAnyKey(backup, key))
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
    // What an earlier one has left, whose mark stays meanwhile.
    await clear(dataDir, (name) => ![...ofAnyStack, path.basename(restoringFile(dataDir))].includes(name));
    await clear(blobDir);
    await expectRoom(config, backup);
    await writeFile(restoringFile(dataDir), blobDir, {
      mode: 0o600,
      flush: true,
    });
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

/** A disk that fills up halfway would have cost the time until then. @throws StackError */
async function expectRoom(
  { dataDir, blobDir }: Pick<Config, 'dataDir' | 'blobDir'>,
  { files }: Pick<Manifest, 'files'>,
): Promise<void> {
  const disks = new Map<number, { readonly folder: string; bytes: number }>();
  for (const folder of [dataDir, blobDir]) {
    const isMeant = (file: BackedFile): boolean => file.path.startsWith('blobs/') === (folder === blobDir);
    const bytes = files.filter(isMeant).reduce((sum, { pieces }) => sum + lengthOf(pieces), 0);
    const { dev } = await stat(present(folder));
    const disk = disks.get(dev) ?? { folder, bytes: 0 };
    disks.set(dev, { ...disk, bytes: disk.bytes + bytes });
  }
  for (const { folder, bytes } of disks.values()) {
    const { bavail, bsize } = await statfs(present(folder));
    if (bavail * bsize < bytes)
      throw new StackError(
        `The disk of ${folder} has ${gigabytes(bavail * bsize)} free, and the backup takes ${gigabytes(bytes)} there: free some room, or name a folder elsewhere.`,
      );
  }
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
const lengthOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, [, , length]) => sum + length, 0);

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

/** @throws StackError where somebody works on the database: hosts are asked meanwhile, and numbers given out */
export async function expectNobody(databaseUrl: string): Promise<void> {
  const [row] = await withPool(databaseUrl, connectedOthers);
  if (row === undefined || row.connections === 0) return;
  throw new StackError(
    `Other processes of Orbweaver have ${counted(row.connections, 'connection')} to this database. Stop all workers and APIs, then adopt it.`,
  );
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
      await endSignIns(db);
      return (await countHostsAsAsked(db))[0]?.hosts ?? 0;
    }),
  );
