/** The rules for traps over a site of traps, and over real documentation, without a stack (simulate.ts). */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createExtractor } from '../../content/extract.ts';
import { fileAt } from './files.ts';
import { simulate } from './simulate.ts';
import { goodPages, trapAt, trapKinds, trapSitePage } from './web.ts';

const extractor = await createExtractor();
const origin = 'http://site.example';

/** How often each kind occurs among paths; pages that are no trap as 'good'. */
const byKind = (paths: readonly string[]): ReadonlyMap<string, number> =>
  paths.reduce((counts, path) => {
    const kind = trapAt(path) ?? 'good';
    return counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }, new Map<string, number>());

describe('a site with a trap of each kind', () => {
  it.each([1, 60])(
    'costs at most 200 pages of each, and no good page, if %i pages wait to be read',
    (lag) => {
      const { fetched, held } = simulate(extractor, origin, '/', trapSitePage, { most: 4_000, lag });
      const counts = byKind(fetched);
      expect(fetched.length).toBeLessThan(4_000);
      expect(Object.keys(trapKinds).length).toBeGreaterThanOrEqual(10);
      for (const kind of Object.keys(trapKinds)) expect([kind, counts.get(kind)]).toSatisfy(within(1, 200));
      expect(fetched.filter((path) => path.startsWith('/good/'))).toHaveLength(goodPages);
      expect(held.filter((path) => trapAt(path) === null)).toEqual([]);
    },
  );
});

it('costs few pages of a loop whose pages come from any depth, of which most are the first copies of some body', () => {
  const asked = { most: 4_000, lag: 1, seed: 15 };
  const { fetched } = simulate(extractor, origin, '/', trapSitePage, asked);
  const counts = byKind(fetched);
  expect(['loop', counts.get('repeating-segments')]).toSatisfy(within(1, 200));
  expect(fetched.filter((path) => path.startsWith('/good/'))).toHaveLength(goodPages);
});

const within =
  (least: number, most: number) =>
  ([, count = 0]: [string, number | undefined]): boolean =>
    count >= least && count <= most;

const folder = '/usr/share/doc/postgresql-doc-15/html';
describe.skipIf(!existsSync(folder))('the documentation of Postgres', () => {
  it('passes whole', () => {
    const { fetched, held, findings } = simulate(
      ...([extractor, origin, '/index.html', (path: string) => fileAt(folder, path)] as const),
      { most: 500 },
    );
    expect(fetched).toHaveLength(500);
    expect([held, findings]).toEqual([[], []]);
  });
});
