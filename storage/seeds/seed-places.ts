/**
 * The places of a crawl's seeds (domain/scope.ts), each place once, and whether a link is within their reach. An index
 * is asked in batches, so that no process ever holds data that grows with the number of seeds.
 */
import { hash } from 'node:crypto';
import { placeOf, reachOf, type Place, type ScopeConfig } from '../../domain/scope.ts';
import type { CanonicalUrl } from '../../domain/url.ts';
import type { Queryable } from '../postgres/index.ts';
import { lockForSeeds } from './intake.sql.ts';
import { seededPlaces } from './lists.sql.ts';
import { storeMoved } from './moved.sql.ts';
import { registrableDomain } from './registrable-domain.ts';

/** Places that were found to hold a seed; they hold one for ever. */
export interface KnownPlaces {
  has(place: string): boolean;
  add(place: string): void;
}

/** A place has three names; each name's hash has so many bytes, and so many hex digits. */
const nameBytes = 8;
const nameDigits = 2 * nameBytes;
const placeDigits = 3 * nameDigits;
/** Places that one statement asks for. */
const asked = 5_000;

const digest = (name: string): string => hash('sha256', name, 'hex').slice(0, nameDigits);

/** Hex: three hashes for the place of a seed, the first one or two for a wider place. */
const codeOf = ({ domain, site, folder }: Place): string =>
  digest(domain) + (site === undefined ? '' : digest(site)) + (folder === undefined ? '' : digest(folder));

/** The code that is stored with a seed. */
export const seedPlace = (seed: CanonicalUrl): string => codeOf(placeOf(seed, registrableDomain));

/**
 * Brings the place of a link into the scope of a crawl, as if a seed stood there, unless its seeds have brought as many
 * as they may: false. The caller has a transaction, which holds the crawl's row from here on. @param from what redirects
 * to the link
 */
export async function bringPlace(
  db: Queryable,
  crawlId: number,
  from: string,
  to: CanonicalUrl,
): Promise<boolean> {
  await lockForSeeds(db, String(crawlId));
  const [stored] = await storeMoved(db, crawlId, seedPlace(to), from, to.url);
  return stored?.is_within === true;
}

/** Whether the scope reaches each of the links, by the seeds that are stored at the time of the call. */
export async function isWithin(
  db: Queryable,
  crawlId: number,
  scope: ScopeConfig['scope'],
  links: readonly CanonicalUrl[],
  known: KnownPlaces = new Set<string>(),
): Promise<boolean[]> {
  const within: boolean[] = [];
  /** The places that reach each link from `within.length` on. */
  let reaches: (readonly string[] | null)[] = [];
  let unknown = new Set<string>();
  const answer = async (): Promise<void> => {
    const found = unknown.size === 0 ? new Set<string>() : await ask(db, crawlId, [...unknown]);
    for (const place of found) known.add(place);
    for (const reach of reaches)
      within.push(reach?.some((place) => found.has(place) || known.has(place)) ?? true);
    reaches = [];
    unknown = new Set();
  };
  for (const link of links) {
    const reach = reachOf(scope, link, registrableDomain)?.map(codeOf) ?? null;
    reaches.push(reach);
    if (reach?.some((place) => known.has(place)) === false) for (const place of reach) unknown.add(place);
    if (unknown.size >= asked) await answer();
  }
  await answer();
  return within;
}

async function ask(db: Queryable, crawlId: number, places: readonly string[]): Promise<Set<string>> {
  const lowest = places.map((place) => place.padEnd(placeDigits, '0'));
  const highest = places.map((place) => place.padEnd(placeDigits, 'f'));
  const rows = await seededPlaces(db, crawlId, places, lowest, highest);
  return new Set(rows.map(({ place }) => place));
}
