import { describe, expect, it } from 'vitest';
import { reach, readModule, type Module } from './reach.ts';

const files: Record<string, string> = {
  'domain/pace.ts': [
    "import { hour } from './time.ts';",
    'const least = 1;',
    'export const pace = () => least * hour;',
    'export const other = 2;',
    'export interface Pace { readonly ms: number }',
  ].join('\n'),
  'domain/time.ts': 'export const hour = 3_600;',
  'engine/index.ts': "export { visit } from './visit.ts';",
  'engine/visit.ts': [
    "import { pace } from '../domain/pace.ts';",
    'export const visit = () => pace();',
    'export const leave = () => null;',
  ].join('\n'),
  'test/pace.test.ts': "import { pace } from '../domain/pace.ts';",
  'test/other.test.ts': "import { other } from '../domain/pace.ts';",
  'test/types.test.ts': "import type { Pace } from '../domain/pace.ts';",
  'test/visit.test.ts': "import { visit } from '../engine/index.ts';",
  'test/leave.test.ts': "import { leave } from '../engine/visit.ts';",
};
const resolve =
  (path: string) =>
  (specifier: string): string =>
    new URL(specifier, `file:///${path}`).pathname.slice(1);
const modules = new Map<string, Module>(
  Object.entries(files).map(([path, text]) => [path, readModule(text, resolve(path))]),
);
const reached = (path: string, lines: readonly number[] | null, most = 3) =>
  Object.fromEntries(reach(modules, new Map([[path, lines]]), most));

describe('a change reaches', () => {
  it('the tests of what it touched, and of what uses that, through files that only pass it on', () => {
    expect(reached('domain/pace.ts', [2])).toEqual({ 'test/pace.test.ts': 1, 'test/visit.test.ts': 2 });
  });
  it('no test of another declaration of the same file', () => {
    expect(reached('domain/pace.ts', [4])).toEqual({ 'test/other.test.ts': 1 });
    expect(reached('engine/visit.ts', [3])).toEqual({ 'test/leave.test.ts': 1 });
  });
  it('no test by a type', () => {
    expect(reached('domain/pace.ts', [5])).toEqual({});
  });
  it('as many steps as are asked for', () => {
    expect(reached('domain/time.ts', null, 1)).toEqual({});
    expect(reached('domain/time.ts', null)).toEqual({ 'test/pace.test.ts': 2, 'test/visit.test.ts': 3 });
  });
  it('all that a file declares, where its imports have changed', () => {
    expect(Object.keys(reached('domain/pace.ts', [1], 1))).toEqual([
      'test/pace.test.ts',
      'test/other.test.ts',
    ]);
  });
  it('a test file by its own change', () => {
    expect(reached('test/pace.test.ts', [1])).toEqual({ 'test/pace.test.ts': 0 });
  });
});
