/** The log of a process: a full disk, a level that changes while it runs, and whom a line is about. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import { expect, it } from 'vitest';
import { droppingOutput, logAbout, logOn, toggleLevel } from '../../config/process-log.ts';
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

function inMemory(level: string): { readonly log: Logger; readonly lines: () => readonly object[] } {
  const written: string[] = [];
  const log = logOn({ write: (line) => written.push(line) }, 'test', level);
  return { log, lines: () => written.map((line) => JSON.parse(line) as object) };
}

it.each([
  ['info', 'debug'],
  ['error', 'debug'],
  ['debug', 'info'],
  ['trace', 'info'],
])('a log at %s is at %s after a signal, and back after the next, and says both', (usual, other) => {
  const { log, lines } = inMemory(usual);
  toggleLevel(log, usual);
  expect(log.level).toBe(other);
  toggleLevel(log, usual);
  expect(log.level).toBe(usual);
  expect(lines()).toMatchObject([{ logLevel: other }, { logLevel: usual }]);
});

it('lines that are logged within some work say whom it is about, also after a wait, and each name once', async () => {
  const { log, lines } = inMemory('info');
  await Promise.all(
    ['https://a.example', 'https://b.example'].map((host) =>
      logAbout({ host, activity: 'fetchSlice' }, async () => {
        await Promise.resolve();
        log.info({ crawlId: '3' }, 'one');
      }),
    ),
  );
  logAbout({ host: 'https://a.example' }, () => {
    log.info({ host: 'https://c.example' }, 'its own');
  });
  log.info('outside');
  const [one, two, own, outside] = lines();
  expect(one).toMatchObject({ host: 'https://a.example', activity: 'fetchSlice', crawlId: '3' });
  expect(two).toMatchObject({ host: 'https://b.example' });
  expect(own).toMatchObject({ host: 'https://c.example' });
  expect(outside).not.toHaveProperty('host');
});
