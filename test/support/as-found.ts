/**
 * Test files share a few processes, so each must leave its process as it found it. If a file leaves a false
 * clock, the next file waits for ever: so what a file leaves changed fails that file, by name.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, vi } from 'vitest';

/** Where files say what they cost, if somebody asks. */
const costs = process.env['TEST_COSTS'];
/** Seconds of processor time of this process and of its children that have ended (proc(5): fields 14 to 17, in 1/100 s). */
const processorSeconds = (): number =>
  readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks) / 100, 0);

const shared = [
  'Date',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
] as const;

const state = (): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(shared.map((name) => [name, globalThis[name]])),
  'performance.now': Reflect.get(performance, 'now'),
  'the folder': process.cwd(),
  'the exit code': process.exitCode,
  ...process.env,
});

let found: Readonly<Record<string, unknown>>;
let began = 0;
beforeAll(() => {
  if (costs !== undefined) began = processorSeconds();
  found = state();
});
// After the file's own: hooks run in the reverse of their order.
afterAll(() => {
  if (costs !== undefined) {
    const file = path.relative(process.cwd(), expect.getState().testPath ?? '');
    appendFileSync(costs, `${JSON.stringify([file, processorSeconds() - began])}\n`);
  }
  // A spy that is left would be put back later, over whatever it was made over.
  vi.restoreAllMocks();
  const now = state();
  const changed = [...new Set([...Object.keys(found), ...Object.keys(now)])].filter(
    (name) => now[name] !== found[name],
  );
  expect(changed, 'what this file changed in its process, and did not put back').toEqual([]);
});
