import pino from 'pino';
import { expect, it } from 'vitest';
import { keep } from '../../engine/chores.ts';
import { settling } from '../../workers/chores.ts';

it('failures in a row double the wait for the next look, and a look without one ends the row', async () => {
  const waits: unknown[] = [];
  const log = pino({
    hooks: { logMethod: ([facts]) => void waits.push((facts as { retryMs: number }).retryMs) },
  });
  const looks = [true, true, false, true];
  const over = Promise.withResolvers<undefined>();
  const upkeep = {
    settle: () => {
      const fails = looks.shift();
      if (fails === undefined) over.resolve(undefined);
      return fails === true ? Promise.reject(new Error('the bucket is away')) : Promise.resolve(false);
    },
    tidy: () => Promise.resolve(),
  };
  const end = keep(settling(upkeep, 1), log);
  await over.promise;
  await end();
  expect(waits).toEqual([2, 4, 2]);
});
