/**
 * Exclusive locks between processes, as files that name their holder. A lock whose holder died is free: no crash
 * leaves a folder locked.
 */
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { errorCode } from './errors.ts';
import { formatId, lives, ownId, parseId } from './processes.ts';
import type { ProcessId } from './processes.ts';

export interface Lock {
  /** Gives the lock back. Idempotent. */
  release(): void;
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

/** True when the name was free. `link` fails on an existing name, and what it makes has its content from the start. */
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
 * Clears a dead holder's file. Between our look and our rename another process may have cleared it and taken the
 * lock: then what we moved aside is alive, and is put back.
 */
const clearStale = (file: string, stale: string, aside: string): void => {
  try {
    renameSync(file, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  if (readIfThere(aside) !== stale) linked(aside, file);
  unlinkIfThere(aside);
};

let counter = 0;

/**
 * Takes the lock or says who holds it; never waits.
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
      clearStale(file, found, `${draft}.stale`);
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
