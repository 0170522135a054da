/** What traps cost, and what honest sites lose, by the simulation. */
import type { Extractor } from '../../content/extract.ts';
import { honestSites, type HonestSite } from './honest.ts';
import { simulate, type Simulated } from './simulate.ts';
import { goodPages, trapAt, trapKinds, trapSitePage } from './web.ts';

const origin = 'http://site.example';

interface Lost {
  readonly name: string;
  readonly pages: number;
  readonly read: number;
  /** Paths that were kept back. */
  readonly held: number;
  readonly run: Simulated;
}

export function judgeHonest(extractor: Extractor, site: HonestSite): Lost {
  const read = new Set<string>();
  const pageAt = (path: string): string | null => {
    const page = site.at(path);
    if (page !== null) read.add(path);
    return page;
  };
  const run = simulate(extractor, origin, site.start, pageAt, { most: 20_000 });
  return { name: site.name, pages: site.pages, read: read.size, held: run.held.length, run };
}

export const judgeAllHonest = (extractor: Extractor): Lost[] =>
  honestSites.map((site) => judgeHonest(extractor, site));

interface Costs {
  /** Pages of each trap that were read. */
  readonly byKind: ReadonlyMap<string, number>;
  readonly good: number;
  readonly goodHeld: number;
  /** Pages of traps that were read before the last good page. */
  readonly before: number;
}

/** @param floor pages of a shape that are read before it is held */
export function judgeTraps(extractor: Extractor, floor: number, lag: number): Costs {
  const { fetched, held } = simulate(extractor, origin, '/', trapSitePage, { most: 60_000, floor, lag });
  const byKind = new Map(Object.keys(trapKinds).map((kind) => [kind, 0]));
  for (const path of fetched) {
    const kind = trapAt(path);
    if (kind !== null) byKind.set(kind, (byKind.get(kind) ?? 0) + 1);
  }
  const isGood = (path: string): boolean => path.startsWith('/good/');
  const last = fetched.findLastIndex(isGood);
  return {
    byKind,
    good: fetched.filter(isGood).length,
    goodHeld: held.filter((path) => trapAt(path) === null).length,
    before: fetched.slice(0, last).filter((path) => trapAt(path) !== null).length,
  };
}

export { goodPages };
