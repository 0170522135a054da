/** The output of the parts: one file each, kept small by starting over. */
import { closeSync, openSync, readSync, renameSync, statSync, truncateSync } from 'node:fs';
import { errorCode } from './errors.ts';

/** A file above this size is set aside at a start, and is emptied while the part runs. */
const maxBytes = 16 * 1024 * 1024;

const sizeOf = (file: string): number => {
  try {
    return statSync(file).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
};

/** Opens a log for appending; the caller closes the descriptor. */
export const openLog = (file: string): number => {
  if (sizeOf(file) > maxBytes) renameSync(file, `${file}.old`);
  return openSync(file, 'a', 0o600);
};

/**
 * Empties a log that has grown too large. Safe under a running part: the part appends, so it goes on at the start of
 * the file.
 */
export const trimLog = (file: string): void => {
  if (sizeOf(file) > maxBytes) truncateSync(file, 0);
};

/** The last lines of a log from byte `from` on, for an error message; empty if there are none. */
export const logTail = (file: string, from: number, lines = 6): string => {
  const end = sizeOf(file);
  const start = Math.max(from, end - 8192);
  if (end <= start) return '';
  const buffer = Buffer.alloc(end - start);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, buffer, 0, buffer.length, start);
  } finally {
    closeSync(descriptor);
  }
  return buffer.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
};

export { sizeOf as logSize };
