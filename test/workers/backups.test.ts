/** When a backup by the schedule is begun, and when it has been made, so that it is not tried again. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeStackInfo } from '../../stack/info.ts';
import { ownId } from '../../stack/processes.ts';
import { isMade, stackIsUp } from '../../workers/backups.ts';
import { testFolder } from '../support/given.ts';

it('waits for the stack to be up before it takes a try', async () => {
  const dataDir = testFolder();
  mkdirSync(path.join(dataDir, 'run'));
  const stop = new AbortController();
  const [waiting, cut] = [
    stackIsUp({ dataDir }, new AbortController().signal).then(() => 'up'),
    stackIsUp({ dataDir }, stop.signal),
  ];
  stop.abort();
  await expect(cut).rejects.toThrow();
  expect(await Promise.race([waiting, Promise.resolve('not yet')])).toBe('not yet');
  writeStackInfo({
    ...{ owner: 'up', dataDir, launcher: ownId(), startedAt: new Date().toISOString(), postgresUrl: '' },
    ...{ temporalAddress: '', temporalNamespace: '', temporalUiUrl: null, redisUrl: null, apiUrl: null },
    ...{ hasTemporal: true, hasWorkers: true },
  });
  expect(await waiting).toBe('up');
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
