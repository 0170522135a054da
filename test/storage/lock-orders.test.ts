/**
 * Two statements that lock the same rows in different orders wait for each other for ever: Postgres ends one of them. So a
 * statement that waits for locks on several rows takes them in an order.
 */
import { expect, it } from 'vitest';
import { allStatements } from '../support/statements.ts';

/** What stands before each clause that locks rows, from the beginning of its query; one that waits for nobody is none. */
function lockingQueries(text: string): string[] {
  return [
    ...text.matchAll(/\bfor (?:no key update|update|key share|share)\b(?! (?:of \w+ )?skip locked)/g),
  ].map(({ index }) => {
    let [from, depth] = [index, 0];
    while (from > 0 && depth >= 0) {
      from--;
      if (text[from] === ')') depth++;
      else if (text[from] === '(') depth--;
    }
    return text.slice(from, index);
  });
}

/** One row, by its key. */
const isOfOne = (query: string): boolean => /\bwhere (?:\w+\.)?(?:id|hash) = \(?\$\d/.test(query);
/** One row as well, by a key of two columns or by what else there is one of. */
const ofOne = [
  'keepRobots',
  'lockCounts',
  'moveHosts',
  'putPages',
  'dropPages',
  'requeueQuarantined',
  'holdPages',
];

it('rows are locked one at a time or in an order', async () => {
  const queries = (await allStatements()).flatMap(({ name, text }) =>
    lockingQueries(text).map((query) => ({ name, query })),
  );
  expect(queries.length).toBeGreaterThan(30);
  const without = queries.filter(({ query }) => !/\border by\b/.test(query) && !isOfOne(query));
  expect(without.map(({ name }) => name).sort()).toEqual(ofOne.toSorted());
});
