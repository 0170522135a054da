/**
 * Exclusive locks between processes, as files that name their holder. A lock whose holder died is free: no crash
 * leaves a folder locked.
 */
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { errorCode } from './errors.ts';
import { formatId, lives, ownId, parseId } from './processes.ts';
import type { ProcessId } from './processes.ts';

export interface Lock {
  /** Gives the lock back. Idempotent. */
  readonly release: () => void;
}

export type LockResult = { readonly lock: Lock } | { readonly heldBy: ProcessId };

const readIfThere = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
};

const unlinkIfThere = (file: string): void => {
  try {
    unlinkSync(file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
};

/**
 * True if the name was free. `link` fails on an existing name, and the file it makes has its content from the start.
 */
const linked = (from: string, to: string): boolean => {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
};

/**
 * Removes a dead holder's file, or answers which process is removing it now. Two processes that saw the same dead
 * holder must not both remove the file: the second would remove the lock that the first has taken meanwhile. So
 * removing takes a lock of its own, and under that lock the file is looked at again.
 */
const clearStale = (file: string, stale: string): ProcessId | null => {
  const clearing = takeLock(`${file}.clear`);
  if ('heldBy' in clearing) return clearing.heldBy;
  if (readIfThere(file) === stale) unlinkIfThere(file);
  clearing.lock.release();
  return null;
};

/** Who has a lock. `lives` false: the holder has died, and whoever wants the lock next takes it. Null: nobody has it. */
export const lockHolder = (file: string): { readonly pid: number; readonly lives: boolean } | null => {
  const holder = parseId(readIfThere(file) ?? '');
  return holder === null ? null : { pid: holder.pid, lives: lives(holder) };
};

let counter = 0;

/**
 * Takes the lock or answers who holds it; never waits.
 * @param file in a folder that exists and that this process may write
 */
export const takeLock = (file: string): LockResult => {
  const own = formatId(ownId());
  const draft = `${file}.${String(process.pid)}.${String(counter++)}`;
  writeFileSync(draft, own, { mode: 0o600 });
  try {
    for (;;) {
      if (linked(draft, file)) break;
      const found = readIfThere(file);
      if (found === null) continue;
      const holder = parseId(found);
      if (holder !== null && lives(holder)) return { heldBy: holder };
      const clearer = clearStale(file, found);
      if (clearer !== null) return { heldBy: clearer };
    }
  } finally {
    unlinkIfThere(draft);
  }
  let held = true;
  return {
    lock: {
      release: () => {
        if (held && readIfThere(file) === own) unlinkIfThere(file);
        held = false;
      },
    },
  };
};
