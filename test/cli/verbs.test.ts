/** The list of verbs: each stands below a word of the index, and asks a route that there is for what it answers. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { routes } from '../../api/routes/table.ts';
import { families } from '../../cli/verbs.ts';

const words = Object.values(families).flatMap((below) => Object.entries(below));
const loaded = await Promise.all(
  words.map(async ([word, { load }]) => ({ word, verbs: (await load()).verbs })),
);
const verbs = [...new Set(loaded.flatMap((each) => each.verbs))];

const shapeOf = (route: string): string => route.replaceAll(/\{\w+\}/g, '{}');

/** The schemas of the good answers of a route. */
function answersOf(name: string): unknown[] {
  const found = routes.find(({ method, path }) => shapeOf(`${method} ${path}`) === shapeOf(name));
  return Object.entries(found?.docs?.answers ?? {}).flatMap(([status, { response }]) =>
    status.startsWith('2') ? [response.content?.['application/json']?.schema] : [],
  );
}

const itemOf = (list: unknown): unknown => (list as z.ZodObject<{ items: z.ZodArray }>).shape.items.element;

describe('the list of verbs', () => {
  it('has a verb for each word of the index, and a word for each verb', () => {
    const idle = loaded.filter(
      ({ word, verbs: these }) => !these.some((verb) => `${verb.words} `.startsWith(`${word} `)),
    );
    expect(idle).toEqual([]);
    const known = new Set(words.map(([word]) => word));
    expect(verbs.filter((verb) => !known.has(verb.words.split(' ')[0] ?? ''))).toEqual([]);
    expect(verbs.map((verb) => verb.words)).toHaveLength(new Set(verbs.map((verb) => verb.words)).size);
  });

  it('says what each verb is for, where it is not one word of the index', () => {
    const isBelow = ({ words: all }: { readonly words: string }): boolean => all.includes(' ');
    expect(verbs.filter((verb) => isBelow(verb) && verb.summary === undefined)).toEqual([]);
  });

  const asking = verbs.flatMap(({ words: verb, route }) => (route === null ? [] : [{ verb, ...route }]));
  it.each(asking)('$verb asks $name for what that answers', ({ name, answer, isList }) => {
    const answers = answersOf(name);
    expect(isList ? answers.map(itemOf) : answers).toContain(answer);
  });

  it('asks paths that there are, also where a verb is more than one request', () => {
    const cli = path.join(import.meta.dirname, '..', '..', 'cli');
    const text = globSync('**/*.ts', { cwd: cli }).map((file) => readFileSync(path.join(cli, file), 'utf8'));
    const asked = text.flatMap((each) => [...each.matchAll(/['`](\/v1\/[^'`?]*)/g)].map(([, at = '']) => at));
    const known = new Set(routes.map((route) => shapeOf(route.path)));
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((each) => !known.has(shapeOf(each.replaceAll(/\$\{[^}]*\}/g, '{x}'))))).toEqual([]);
  });
});
