/** A log that a full disk refuses. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { droppingOutput } from '../../config/process-log.ts';
import { makeSmallDisk, mayMount } from '../support/small-disk.ts';

it.skipIf(!mayMount())('drops lines while the disk is full, counts them, and goes on (needs mount)', () => {
  const disk = makeSmallDisk(1_048_576);
  try {
    const file = path.join(disk.folder, 'log');
    const descriptor = openSync(file, 'a');
    const output = droppingOutput(descriptor, 'test');
    output.write('{"msg":"before"}\n');
    disk.fill();
    // Longer than what is left of the file's last block.
    for (let line = 0; line < 3; line++) output.write(`{"msg":"${'x'.repeat(10_000)}"}\n`);
    disk.free();
    output.write('{"msg":"after"}\n');
    closeSync(descriptor);
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines[0]).toBe('{"msg":"before"}');
    expect(lines.slice(-3)).toEqual([
      expect.stringContaining('"msg":"3 lines of this log could not be written"'),
      '{"msg":"after"}',
      '',
    ]);
  } finally {
    disk.unmount();
  }
});
