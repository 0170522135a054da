/** Reasons, kinds and stages stand in SQL as literals: each must be one of the names of the domain. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { storedStages } from '../../domain/stage.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import { urlReasons } from '../../domain/url-reason.ts';

const storage = new URL('../../storage/', import.meta.url).pathname;
const sources = globSync(`${storage}**/*.ts`).map((file) => readFileSync(file, 'utf8'));

/** The first group of each match, in all files. */
const found = (form: RegExp): string[] =>
  sources.flatMap((text) => [...text.matchAll(form)].map(([, group = '']) => group));

/** Of the form `case when … then 'a' … end`. */
const branches = (cases: readonly string[]): string[] =>
  cases.flatMap((text) => [...text.matchAll(/\bthen '([^'$]+)'/g)].map(([, name = '']) => name));

it('are the reasons of the domain', () => {
  const written = new Set([
    ...found(/\breason (?:=|<>|is (?:not )?distinct from) '([^'$]+)'/g),
    ...branches(found(/\breason = case\b(.*?)\bend\b/gs)),
    ...branches(found(/\bcase\b((?:(?!\bcase\b).)*?)\bend as reason\b/gs)),
  ]);
  expect([...written].filter((name) => !(urlReasons as readonly string[]).includes(name))).toEqual([]);
  // So many are known to be there: else the forms above are out of date.
  expect([...written]).toEqual(
    expect.arrayContaining(['body-lost', 'crawl-limit', 'dropped', 'fetched-elsewhere', 'host-limit', 'opt-out', 'poison']),
  ); // prettier-ignore
});

it.each([
  ['kind', Object.values(storedKinds)],
  ['stage', Object.values(storedStages)],
])('are the numbers of each %s', (column, known) => {
  const written = found(new RegExp(`\\b${column} [=>] ([0-9]+)`, 'g')).map(Number);
  expect(written.length).toBeGreaterThan(4);
  expect(written.filter((number) => !(known as number[]).includes(number))).toEqual([]);
});
