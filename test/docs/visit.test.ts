/** The page on visits names the gates as they are asked. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { gates } from '../../engine/visit/gates.ts';

it('docs/visit.md lists every gate, in order', () => {
  const page = readFileSync(new URL('../../docs/visit.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('| gate '), page.indexOf('A gate answers'));
  const named = [...table.matchAll(/^\| `([a-z-]+)`/gm)].map(([, name]) => name);
  expect(named).toEqual(gates.map(({ name }) => name));
});
