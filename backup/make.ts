/**
 * Makes a backup of a data folder while everything in it goes on. In this order, so that nothing refers to what is not
 * there:
 *
 * 1. Nothing is removed from the archive any more (a lock of a session: it ends with this process).
 * 2. The folder of Postgres, while it changes; just before the copy's end Temporal's file. So Temporal knows of nothing
 *    that Postgres does not have: a workflow for an id that is given out once more would be another's.
 * 3. Segments up to the bytes that are committed by now, which are no fewer than at the copy's end.
 * 4. The manifest. Until it is there, nothing was made; a kill leaves parts that later backups do not mind.
 */
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { backup as copyDatabase, DatabaseSync } from 'node:sqlite';
import type { Config } from '../config/config.ts';
import { counted } from '../domain/counted.ts';
import { version } from '../config/package.ts';
import { settings } from '../config/table.ts';
import { messageOf, StackError } from '../stack/errors.ts';
import { copyName, removeCopies } from '../stack/folder.ts';
import {
  beginOnlyBackup,
  committedSegments,
  endFrozenBackup,
  endLeftCopies,
  holdArchive,
  holdsArchive,
  noteBackup,
  silentSeconds,
  type BackupNote,
} from '../storage/backups/index.ts';
import type { Queryable } from '../storage/postgres/index.ts';
import { printsOf, secretKey } from './keys.ts';
import { listBackups, nameBackup } from './list.ts';
import { addedBy, bytesOf, graceDays, newId, type Manifest } from './manifest.ts';
import { Packing } from './parts.ts';
import { bytesOfFile, expectOurs, packPostgres } from './postgres-folder.ts';
import { unlessMissing, type Repository } from './repository.ts';
import { withSession } from './session.ts';

/** Pages of Temporal's file that are copied at a time: all at once, since a change by others begins the copy anew. */
const allPages = 2 ** 31 - 1;

/**
 * @param databaseUrl of the embedded Postgres of the data folder, which runs
 * @throws StackError, and whatever else keeps the backup from being made
 */
export async function makeBackup(
  config: Config,
  databaseUrl: string,
  repository: Repository,
): Promise<Manifest> {
  const beganAt = Date.now();
  const id = newId(new Date(beganAt));
  const note = (what: Pick<BackupNote, 'bytes' | 'added' | 'error'>): Promise<unknown> =>
    withSession(databaseUrl, (db) => noteBackup(db, JSON.stringify({ id, beganAt, ...what }))).catch(
      (error: unknown) => {
        if (!isMissingTable(error)) throw error;
      },
    );
  try {
    const made = await withSession(databaseUrl, (db) => make(config, databaseUrl, repository, id, db));
    await note({ bytes: bytesOf(made), added: addedBy(made), error: lackedBy(made) });
    return made;
  } catch (error) {
    // Postgres may be what is away: its own fault says more.
    await note({
      bytes: null,
      added: null,
      error: messageOf(error),
    }).catch(() => undefined);
    throw error;
  }
}

/** In a sentence; null: nothing, it is whole. */
export const lackedBy = ({ segments: { missing }, settings: told }: Manifest): string | null =>
  missing.length === 0
    ? null
    : `It lacks the bodies of ${counted(missing.length, 'segment')} (missing, or too short, in ${String(told[settings.blobDir.name])}): ${namesOf(missing)}.`;

const mostNamed = 5;
const namesOf = (names: readonly string[]): string =>
  names.length <= mostNamed ? names.join(', ') : `${names.slice(0, mostNamed).join(', ')} …`;

/** The database of an older version, which is backed up before it is migrated, may have no table of backups. */
const isMissingTable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '42P01';

async function make(
  config: Config,
  databaseUrl: string,
  repository: Repository,
  id: string,
  db: Queryable,
): Promise<Manifest> {
  const began = performance.now();
  const postgres = path.join(config.dataDir, 'postgres');
  const instance = await expectOurs(db, postgres);
  if (!(await isAlone(db)))
    throw new StackError(
      `Another backup of this stack is being made. Wait for its end; one that is frozen is ended by the next one once it has said nothing for ${String(silentSeconds / 60)} minutes.`,
    );
  await endLeftCopies(db);
  removeCopies(path.join(config.dataDir, 'run'));
  await holdArchive(db);
  const packing = new Packing(repository, id, await listBackups(repository), signsOfLife(db));
  const { moment, folders } = await withSession(databaseUrl, (session) =>
    packPostgres(session, postgres, packing, () => packTemporal(config, packing, id)),
  );
  const segments = await packSegments(config, db, packing);
  await packing.end();
  const seconds = (performance.now() - began) / 1_000;
  if (seconds > (graceDays - 1) * 86_400)
    throw new StackError(
      `The backup took more than ${String(graceDays - 1)} days: what it names may be removed by now.`,
    );
  await expectHeld(db);
  const prints = printsOf(await secretKey(config));
  const made: Manifest = {
    format: 1,
    id,
    version,
    instance,
    moment: moment.toISOString(),
    seconds,
    hasTemporal: packing.files.some(({ path: file }) => file.startsWith('temporal/')),
    segments,
    keyPrint: prints[0] ?? null,
    keyPrints: prints,
    settings: told(config),
    folders,
    parts: packing.parts,
    files: packing.files,
  };
  await nameBackup(repository, made);
  return made;
}

/**
 * A process that is frozen holds its session, so nobody could ever make a backup again. Thawed, it finds the session gone:
 * it names no backup, and what it still stores has names of its own.
 */
async function isAlone(db: Queryable): Promise<boolean> {
  const begun = async (): Promise<boolean> => (await beginOnlyBackup(db))[0]?.alone === true;
  if (await begun()) return true;
  await endFrozenBackup(db, silentSeconds);
  return begun();
}

/** Seconds between two signs of life of a backup: no part takes nearly as long as one may be silent. */
const signSeconds = 20;

function signsOfLife(db: Queryable): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < signSeconds * 1_000) return;
    last = performance.now();
    await expectHeld(db);
  };
}

async function expectHeld(db: Queryable): Promise<void> {
  if ((await holdsArchive(db))[0]?.held !== true) throw new Error('the hold on the archive was lost');
}

/**
 * SQLite's own copy, which is whole at one instant; Temporal writes on meanwhile. Under a name of its own: a backup that was
 * frozen here may thaw while another one copies.
 */
export async function packTemporal(
  { dataDir }: Pick<Config, 'dataDir'>,
  packing: Pick<Packing, 'add'>,
  id: string,
): Promise<void> {
  const file = path.join(dataDir, 'temporal', 'temporal.db');
  if ((await unlessMissing(stat(file))) === null) return;
  const copy = path.join(dataDir, 'run', copyName(id));
  try {
    const source = new DatabaseSync(file, { readOnly: true });
    try {
      await copyDatabase(source, copy, { rate: allPages });
    } catch (error) {
      throw new StackError(
        `Temporal's file cannot be copied to ${copy}: ${messageOf(error)}. The copy needs room there while the backup is made.`,
        { cause: error },
      );
    } finally {
      source.close();
    }
    await packing.add('temporal/temporal.db', bytesOfFile(copy), (await stat(copy)).size);
  } finally {
    // It may be what fills the disk of the crawl.
    await rm(copy, { force: true });
  }
}

async function packSegments(
  { blobDir, s3Bucket }: Config,
  db: Queryable,
  packing: Packing,
): Promise<Manifest['segments']> {
  let [copied, elsewhere] = [0, 0];
  const missing: string[] = [];
  for (const { name, folder, length } of await committedSegments(db)) {
    const file = path.join(blobDir, name);
    if (length === 0) continue;
    const size = async (): Promise<number | null> => (await unlessMissing(stat(file)))?.size ?? null;
    const hasAll = ((await size()) ?? 0) >= length;
    if (hasAll && (await packing.addGrowing(`blobs/${name}`, length, (at) => bytesOfFile(file, at, length))))
      copied++;
    // It may have left for the bucket just now.
    else if (s3Bucket !== null && (folder === null || (await size()) === null)) elsewhere++;
    else missing.push(name);
  }
  const folderId = path.join(blobDir, 'folder-id');
  if ((await unlessMissing(stat(folderId))) !== null)
    await packing.add('blobs/folder-id', bytesOfFile(folderId), 0);
  return { copied, elsewhere, missing };
}

const told = (config: Config): Manifest['settings'] =>
  Object.fromEntries(
    (Object.keys(settings) as (keyof typeof settings)[])
      .filter((key) => !('secret' in settings[key]))
      .map((key) => [settings[key].name, config[key]]),
  );
