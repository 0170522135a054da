/**
 * The data folder: who owns it, what lies where, and how it is cleaned up after a crash.
 *
 *   postgres/ temporal/ redis/ blobs/   the services' data
 *   logs/<part>.log                     what each part wrote
 *   run/lock                            the launcher that owns the folder
 *   run/<part>.pid, run/<part>.id       pid of each running part; the same with its start, for the next launcher
 *   run/stack.json                      addresses, for others to attach to
 *   run/<backup>.copy                   Temporal's file while it is backed up
 *   restoring                           a backup is being restored here, or that was cut short: nothing counts
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StackError, errorCode, messageOf } from './errors.ts';
import { takeLock } from './lock.ts';
import type { Lock } from './lock.ts';
import { endProcess, formatId, parseId } from './processes.ts';
import type { ProcessId } from './processes.ts';

export interface DataFolder {
  readonly root: string;
  readonly run: string;
  readonly logs: string;
  readonly lock: Lock;
}

/** Milliseconds until we end a leftover ourselves: it has lost its launcher, and its leash is ending it already. */
const leftoverGraceMs = 10_000;

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'it cannot be created there',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'there is a file with that name',
};

/** The folder, or what there is of the way to it. */
export const present = (folder: string): string =>
  existsSync(folder) ? folder : present(path.dirname(folder));

const unwritable = (root: string, error: unknown): StackError =>
  new StackError(
    `The data folder ${root} cannot be written: ${reasons[errorCode(error) ?? ''] ?? messageOf(error)}. ` +
      'Name another folder with ORBWEAVER_DATA.',
  );

/** Folder by folder: Node's own `recursive` never returns if the parent takes no folders, as /proc does. */
const makeFolder = (folder: string, mode: number): void => {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder), mode);
  mkdirSync(folder, { mode });
};

const makeFolders = (root: string): void => {
  // If we are root, Postgres runs as a user of its own, and must be able to pass through every folder, also new ones.
  const isRoot = process.getuid?.() === 0;
  makeFolder(root, isRoot ? 0o711 : 0o700);
  if (isRoot) chmodSync(root, 0o711);
  for (const name of ['run', 'logs']) makeFolder(path.join(root, name), 0o700);
};

const partFile = (folder: DataFolder, part: string, extension: string): string =>
  path.join(folder.run, `${part}.${extension}`);

/** Where a part's output goes. */
export const logFile = (folder: DataFolder, part: string): string => path.join(folder.logs, `${part}.log`);

/** Notes which process a part is, for people and for the clean-up after a crash. */
export const notePart = (folder: DataFolder, part: string, id: ProcessId): void => {
  writeFileSync(partFile(folder, part, 'id'), formatId(id), { mode: 0o600 });
  writeFileSync(partFile(folder, part, 'pid'), `${String(id.pid)}\n`, { mode: 0o600 });
};

export const forgetPart = (folder: DataFolder, part: string): void => {
  rmSync(partFile(folder, part, 'pid'), { force: true });
  rmSync(partFile(folder, part, 'id'), { force: true });
};

/** In `run/`, of the file of a service that is copied; SQLite may put others beside it. */
export const copyName = (id: string): string => `${id}.copy`;

/** Removes copies that were left behind, which may be large. Nobody makes any meanwhile who may. */
export const removeCopies = (run: string): void => {
  for (const name of readdirSync(run))
    if (name.includes('.copy')) rmSync(path.join(run, name), { force: true });
};

/** Ends what an earlier launcher left behind. Only called by the folder's owner. */
const reapLeftovers = async (folder: DataFolder): Promise<void> => {
  removeCopies(folder.run);
  const parts = readdirSync(folder.run)
    .filter((name) => name.endsWith('.id'))
    .map((name) => name.slice(0, -'.id'.length));
  await Promise.all(
    parts.map(async (part) => {
      const id = parseId(readFileSync(partFile(folder, part, 'id'), 'utf8'));
      if (id !== null) await endProcess(id, part === 'postgres' ? 'SIGINT' : 'SIGTERM', leftoverGraceMs);
      forgetPart(folder, part);
    }),
  );
};

/** In a folder while a backup is being restored there. It names the folder of the bodies. */
export const restoringFile = (root: string): string => path.join(root, 'restoring');

/**
 * Makes the folder ours until the lock is released or this process ends.
 * @param restoring the caller restores a backup there
 * @throws StackError if the folder cannot be written, another live launcher owns it, or a backup was restored in part
 */
export const openDataFolder = async (root: string, restoring = false): Promise<DataFolder> => {
  const run = path.join(root, 'run');
  let taken;
  try {
    makeFolders(root);
    taken = takeLock(path.join(run, 'lock'));
  } catch (error) {
    throw unwritable(root, error);
  }
  if ('heldBy' in taken) {
    throw new StackError(
      `The data folder ${root} is in use by another stack (process ${String(taken.heldBy.pid)}): ` +
        'stop that stack, or name another folder with ORBWEAVER_DATA.',
    );
  }
  const folder: DataFolder = { root, run, logs: path.join(root, 'logs'), lock: taken.lock };
  if (!restoring && existsSync(restoringFile(root))) {
    taken.lock.release();
    throw new StackError(
      `A restore into ${root} was cut short, and what is there is not whole: run orbweaver backup restore again.`,
    );
  }
  try {
    await reapLeftovers(folder);
  } catch (error) {
    taken.lock.release();
    throw unwritable(root, error);
  }
  return folder;
};
