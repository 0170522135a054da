/** A backup by the schedule: when it is begun, whom it ends with, and when it has been made, so that it is not tried again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { entryScript } from '../../config/package.ts';
import { countSilence, isMade, stackIsUp } from '../../workers/backups.ts';
import { testFolder } from '../support/given.ts';
import { seemToRun } from '../support/running-stack.ts';
import { silentPostgres } from '../support/silent-postgres.ts';
import { until } from '../support/until.ts';

it('waits for the stack to be up before it takes a try', async () => {
  const dataDir = testFolder();
  const stop = new AbortController();
  const [waiting, cut] = [
    stackIsUp({ dataDir }, new AbortController().signal).then(() => 'up'),
    stackIsUp({ dataDir }, stop.signal),
  ];
  stop.abort();
  await expect(cut).rejects.toThrow();
  expect(await Promise.race([waiting, Promise.resolve('not yet')])).toBe('not yet');
  seemToRun(dataDir);
  expect(await waiting).toBe('up');
});

it('ends with the worker that has begun it, also after kill -9', async () => {
  const postgres = await silentPostgres();
  const dataDir = testFolder();
  seemToRun(dataDir, { postgresUrl: postgres.url });
  const worker = spawn(process.execPath, [path.join(import.meta.dirname, 'backup-parent.ts')], {
    env: { ...process.env, ORBWEAVER_DATA: dataDir, ORBWEAVER_BACKUP: testFolder() },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ofBackup = await postgres.asked;
  worker.kill('SIGKILL');
  if (!ofBackup.closed) await once(ofBackup, 'close');
});

it('says now and then that it is not frozen', async () => {
  const postgres = await silentPostgres();
  const dataDir = testFolder();
  seemToRun(dataDir, { postgresUrl: postgres.url });
  const backup = spawn(process.execPath, [entryScript('cli/main'), 'backup', testFolder(), '--tethered'], {
    env: { ...process.env, ORBWEAVER_DATA: dataDir },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  onTestFinished(() => {
    backup.kill('SIGKILL');
  });
  let said = '';
  backup.stderr.setEncoding('utf8').on('data', (words: string) => (said += words));
  await postgres.asked;
  const before = said.length;
  await until('it has said so', () => said.slice(before).startsWith('\n'));
});

it('counts as frozen once so many looks in a row have heard nothing', () => {
  const said = new PassThrough();
  const isSilent = countSilence(said, 2);
  expect([isSilent(), isSilent()]).toEqual([false, false]);
  said.write('\n');
  expect([isSilent(), isSilent(), isSilent()]).toEqual([false, false, true]);
});

it.each([
  ['a whole one', 0, '{"id":"x"}\n', true],
  ['one that lacks bodies', 3, '{"id":"x"}\n', true],
  ['a refusal with the same exit code', 3, '', false],
  ['a fault', 1, '', false],
  ['a process that was killed', null, '', false],
])('%s', (_, code, out, made) => {
  expect(isMade(code, out)).toBe(made);
});
