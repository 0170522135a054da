/**
 * Test files share a few processes, so each must leave its process as it found it. If a file leaves a false
 * clock, the next file waits for ever: so what a file leaves changed fails that file, by name.
 */
import { afterAll, beforeAll, expect, vi } from 'vitest';

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
beforeAll(() => {
  found = state();
});
// After the file's own: hooks run in the reverse of their order.
afterAll(() => {
  // A spy that is left would be put back later, over whatever it was made over.
  vi.restoreAllMocks();
  const now = state();
  const changed = [...new Set([...Object.keys(found), ...Object.keys(now)])].filter(
    (name) => now[name] !== found[name],
  );
  expect(changed, 'what this file changed in its process, and did not put back').toEqual([]);
});
