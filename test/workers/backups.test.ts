/** A backup by the schedule: when it is begun, whom it ends with, and when it has been made, so that it is not tried again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isMade, stackIsUp } from '../../workers/backups.ts';
import { testFolder } from '../support/given.ts';
import { seemToRun } from '../support/running-stack.ts';

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

/** `AuthenticationOk` and `ReadyForQuery` of Postgres' protocol. */
const welcome = Buffer.from([...[0x52, 0, 0, 0, 8, 0, 0, 0, 0], ...[0x5a, 0, 0, 0, 5, 0x49]]);

it('ends with the worker that has begun it, also after kill -9', async () => {
  // Postgres, which never answers the first question of the backup.
  const asked = Promise.withResolvers<Socket>();
  const postgres = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(welcome);
      socket.once('data', () => {
        asked.resolve(socket);
      });
    });
  }).listen(0, '127.0.0.1');
  await once(postgres, 'listening');
  const dataDir = testFolder();
  const { port } = postgres.address() as AddressInfo;
  seemToRun(dataDir, { postgresUrl: `postgres://any@127.0.0.1:${String(port)}/any` });
  const worker = spawn(process.execPath, [path.join(import.meta.dirname, 'backup-parent.ts')], {
    env: { ...process.env, ORBWEAVER_DATA: dataDir, ORBWEAVER_BACKUP: testFolder() },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ofBackup = await asked.promise;
  onTestFinished(() => {
    ofBackup.destroy();
    postgres.close();
  });
  worker.kill('SIGKILL');
  if (!ofBackup.closed) await once(ofBackup, 'close');
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
