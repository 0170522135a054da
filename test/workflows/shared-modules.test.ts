/** All workflows of a thread share the modules of the bundle (workers/workflow-bundle.ts). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { presentCode } from '../histories/saved-histories.ts';

const root = join(import.meta.dirname, '..', '..');
/**
 * A variable that can be set, or a collection that begins empty, outside of any function. What is set in an
 * AsyncLocalStorage only those see who were called from there.
 */
const state =
  /^(?:export )?(?:(?:let|var) |const \w+(?:: [^=]*)? = (?:new (?!AsyncLocalStorage\b)\w+(?:<[^;]*>)?\(\)|\[\]|\{\});)/m;

it('are loaded once for each thread', async () => {
  expect(await presentCode()).toMatch(
    /preloadModules = function preloadModules\(\) \{\s+__webpack_require__\(/,
  );
});

it('have no state of their own, which one workflow would see of another', async () => {
  const modules = [
    ...(await presentCode()).matchAll(/^\/\*{3}\/ "\.\/((?:contracts|domain|workflows)\/[^"]+)"/gm),
  ];
  const names = modules.map(([, name = '']) => name);
  expect(names).toContain('workflows/host.ts');
  expect(names.filter((name) => state.test(readFileSync(join(root, name), 'utf8')))).toEqual([]);
  for (const code of [
    'let n = 0;',
    'export let n = 0;',
    'const known = new Map<string, number>();',
    'const all: string[] = [];',
  ])
    expect(code).toMatch(state);
});
