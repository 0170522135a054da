/**
 * A copy of the folder of a running Postgres, by its backup mode: the files are read while they change, and the log that
 * is written meanwhile makes them whole when the copy is started.
 */
import { createReadStream } from 'node:fs';
import { readFile, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { StackError } from '../stack/errors.ts';
import { beginBackup, endBackup, serverFacts, walBetween } from '../storage/backups/index.ts';
import type { Queryable } from '../storage/postgres/index.ts';
import type { Packing } from './parts.ts';
import { unlessMissing } from './repository.ts';

/** Folders whose files mean nothing to a copy; the folders themselves must be there. */
const emptied =
  /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)$|(^|\/)pgsql_tmp/;
const left =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map|current_logfiles)$|(^|\/)(pg_internal\.init|pgsql_tmp|t\d+_)/;
/** Says up to where the copy has to be made whole: it is read last. */
const control = 'global/pg_control';

/** What a walk finds, as paths below the folder. */
interface Found {
  readonly folders: string[];
  readonly files: string[];
}

async function walk(root: string, below: string, found: Found): Promise<Found> {
  for (const entry of (await unlessMissing(readdir(path.join(root, below), { withFileTypes: true }))) ?? []) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isSymbolicLink())
      throw new StackError(
        `${path.join(root, name)} leads out of the folder of Postgres, and would be missing in a backup.`,
      );
    if (entry.isDirectory()) {
      found.folders.push(name);
      if (!emptied.test(name)) await walk(root, name, found);
    } else if (!left.test(name)) found.files.push(name);
  }
  return found;
}

/** The bytes of a file as it is now, or none if it has gone. */
export async function* bytesOfFile(file: string, from = 0, to = Infinity): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(file, {
      start: from,
      end: to - 1,
      highWaterMark: 1024 ** 2,
    }) as AsyncIterable<Buffer>;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

/** A file of some hundred bytes that is written in place: two looks that agree have not met a write halfway. */
async function settledBytes(file: string): Promise<Buffer> {
  for (let before = await readFile(file); ;) {
    const now = await readFile(file);
    if (now.equals(before)) return now;
    before = now;
  }
}

const only = (bytes: Buffer): AsyncIterable<Buffer> => Readable.from([bytes]);

/**
 * Packs the folder as `postgres/…`.
 * @param db one session, which must last as long
 * @param beforeEnd done while the copy goes on, just before the moment to which it leads
 * @returns the moment, and the folders
 */
export async function packPostgres(
  db: Queryable,
  root: string,
  packing: Packing,
  beforeEnd: () => Promise<void>,
): Promise<{ readonly moment: Date; readonly folders: string[] }> {
  const add = async (name: string): Promise<void> => {
    const file = path.join(root, name);
    const found = await unlessMissing(stat(file));
    if (found !== null) await packing.add(`postgres/${name}`, bytesOfFile(file), found.size);
  };
  const [begun] = await beginBackup(db, 'orbweaver');
  if (begun === undefined) throw new Error('Postgres kept no log');
  const { folders, files } = await walk(root, '', { folders: [], files: [] });
  for (const name of files.filter((each) => each !== control).sort()) await add(name);
  await beforeEnd();
  const state = await settledBytes(path.join(root, control));
  await packing.add(`postgres/${control}`, only(state), state.length);
  const [ended] = await endBackup(db);
  if (ended === undefined) throw new Error('Postgres ended no copy');
  const label = Buffer.from(ended.label);
  await packing.add('postgres/backup_label', only(label), label.length);
  const [wal] = await walBetween(db, begun.lsn, ended.lsn);
  const logs = (await readdir(path.join(root, 'pg_wal'))).sort();
  const needed = logs.filter(
    (name) => /^[0-9A-F]{24}$/.test(name) && name >= (wal?.first ?? '') && name <= (wal?.last ?? ''),
  );
  if (needed[0] !== wal?.first || needed.at(-1) !== wal?.last)
    throw new Error('Postgres has not kept the log of the copy');
  for (const name of needed) await add(`pg_wal/${name}`);
  return { moment: ended.moment, folders: folders.map((name) => `postgres/${name}`) };
}

/** Refuses a Postgres whose folder is not this one, or that keeps too little in its log. */
export async function expectOurs(db: Queryable, root: string): Promise<string> {
  const [facts] = await serverFacts(db);
  if (facts === undefined) throw new Error('Postgres said nothing of itself');
  const isOurs = (await unlessMissing(realpath(root))) === (await unlessMissing(realpath(facts.folder)));
  if (!isOurs)
    throw new StackError(
      'Only the embedded Postgres is backed up this way: docs/backup.md says how to back up a Postgres of your own.',
    );
  if (facts.wal_level === 'minimal')
    throw new StackError(
      'The running stack was started by an older version, whose Postgres cannot be copied while it runs: start it anew.',
    );
  return facts.instance;
}
