/** When a backup by the schedule has been made, so that it is not tried again. */
import { expect, it } from 'vitest';
import { isMade } from '../../workers/backups.ts';

it.each([
  ['a whole one', 0, '{"id":"x"}\n', true],
  ['one that lacks bodies', 3, '{"id":"x"}\n', true],
  ['a refusal with the same exit code', 3, '', false],
  ['a fault', 1, '', false],
  ['a process that was killed', null, '', false],
])('%s', (_, code, out, made) => {
  expect(isMade(code, out)).toBe(made);
});
