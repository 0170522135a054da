/** What a disk does that has grown old. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';

export function flipBit(file: string, at: number): void {
  const fd = openSync(file, 'r+');
  try {
    const byte = Buffer.alloc(1);
    readSync(fd, byte, 0, 1, at);
    writeSync(fd, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at);
  } finally {
    closeSync(fd);
  }
}
