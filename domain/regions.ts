/**
 * Regions (F17): from where a host is fetched. A host has one home, found by the first of these that tells: its setting,
 * the end of its name, the place of its address, and otherwise the region that is named first. Workers of its home fetch
 * it; while none of them gives a sign of life, those of the nearest region that does. Pure.
 */
import { hostName } from './opt-out.ts';

export interface Regions {
  /** Each region with all others, nearest first. The first region is the home of hosts of which nothing tells. */
  readonly nearest: ReadonlyMap<string, readonly string[]>;
  /**
   * Regions by the ends of host names (`de`, `gov.uk`), and by the places of addresses: countries (`de`), continents
   * (`continent-eu`). Lower case.
   */
  readonly places: ReadonlyMap<string, string>;
  /** Milliseconds without a sign of life of a region's workers after which others take its hosts over. */
  readonly takeOverMs: number;
}

export const regionName = /^[a-z][a-z0-9-]{0,29}$/;

/** A fault of the settings: whose, and what would be right. */
export interface RegionFault {
  readonly of: 'regions' | 'places';
  readonly problem: string;
}

/**
 * @param regions `eu:us,ap; us:eu; ap`: each region, with its neighbours, nearest first; those that are not named follow in
 * the order of the list @param places `eu:de,gov.uk,continent-eu; us:us`
 */
export function readRegions(regions: string, places: string, takeOverMs: number): Regions | RegionFault {
  const listed = readLists(regions);
  const [twice] = duplicates(listed.map(([name]) => name));
  const names = new Set(listed.map(([name]) => name));
  const of = 'regions';
  if (names.size === 0) return { of, problem: 'must name a region, such as eu:us; us:eu' };
  if (twice !== undefined) return { of, problem: `names ${twice} twice` };
  for (const [name, neighbours] of listed) {
    if (!regionName.test(name))
      return {
        of,
        problem: `must hold names of small letters, digits and -, unlike ${JSON.stringify(name)}`,
      };
    const unknown = neighbours.find((each) => !names.has(each) || each === name);
    if (unknown !== undefined)
      return { of, problem: `has ${unknown} beside ${name}, which is no other region` };
  }
  const placed = readLists(places);
  const stray = placed.find(([name]) => !names.has(name));
  if (stray !== undefined) return { of: 'places', problem: `names ${stray[0]}, which is no region` };
  const homes = placed.flatMap(([name, ends]) => ends.map((end) => [end.toLowerCase(), name] as const));
  const [disputed] = duplicates(homes.map(([end]) => end));
  if (disputed !== undefined) return { of: 'places', problem: `gives ${disputed} to two regions` };
  const nearest = listed.map(([name, neighbours]) => {
    const others = [...names].filter((each) => each !== name && !neighbours.includes(each));
    return [name, [...new Set(neighbours), ...others]] as const;
  });
  return { nearest: new Map(nearest), places: new Map(homes), takeOverMs };
}

const partsOf = (text: string, by: string): string[] =>
  text
    .split(by)
    .map((part) => part.trim())
    .filter((part) => part !== '');

const readLists = (text: string): (readonly [name: string, items: readonly string[]])[] =>
  partsOf(text, ';').map((part) => {
    const [name = '', items = ''] = part.split(/:(.*)/s);
    return [name.trim(), partsOf(items, ',')];
  });

const duplicates = (texts: readonly string[]): string[] =>
  texts.filter((text, at) => texts.indexOf(text) !== at);

/** What is known of a host that may tell its home. */
export interface HostPlace {
  readonly origin: string;
  /** The region that an operator gave it; null: none. */
  readonly set: string | null;
  /** Its address by the GeoIP file, narrowest first: country, then continent; null: not known. */
  readonly place: readonly string[] | null;
}

export const homeReasons = ['setting', 'name', 'address', 'default'] as const;
export interface Home {
  readonly region: string;
  readonly by: (typeof homeReasons)[number];
  /** What of the name or the address has told; null: neither did. */
  readonly of: string | null;
}

/** A setting that names no region tells nothing. */
export function homeOf({ nearest, places }: Regions, { origin, set, place }: HostPlace): Home {
  if (set !== null && nearest.has(set)) return { region: set, by: 'setting', of: null };
  const told = (by: 'name' | 'address', ends: readonly string[]): Home | null => {
    for (const of of ends) {
      const region = places.get(of);
      if (region !== undefined) return { region, by, of };
    }
    return null;
  };
  const [first = ''] = nearest.keys();
  return (
    told('name', endsOf(hostName(origin))) ??
    told('address', place ?? []) ?? { region: first, by: 'default', of: null }
  );
}

/** `a.gov.uk` → `a.gov.uk`, `gov.uk`, `uk`. */
const endsOf = (name: string): string[] => {
  const labels = name.split('.');
  return labels.map((_, at) => labels.slice(at).join('.'));
};

/**
 * The region whose workers fetch from hosts of `home` now: itself while its workers live, otherwise the nearest whose
 * workers do; itself as well if none do.
 * @param silentMs milliseconds since a worker of a region last gave a sign of life; none: never
 */
export function servedBy(
  { nearest, takeOverMs }: Regions,
  home: string,
  silentMs: ReadonlyMap<string, number>,
): string {
  const lives = (name: string): boolean => (silentMs.get(name) ?? Infinity) <= takeOverMs;
  return [home, ...(nearest.get(home) ?? [])].find(lives) ?? home;
}

/** A visit waits for a worker of its region for so long at least, until the region is chosen anew. */
const leastPatienceMs = 5_000;

/** Milliseconds that a visit waits for a worker of a region: until others would take the region over, and a little. */
export const patienceMs = ({ takeOverMs }: Regions, silentMs: number): number =>
  Math.max(leastPatienceMs, takeOverMs + leastPatienceMs - Math.max(0, silentMs));

/** The region of a host, as people are told of it. */
export interface HostRegion extends Pick<Home, 'by' | 'of'> {
  readonly name: string;
  /** The region whose workers fetch now. */
  readonly fetchedFrom: string;
}

const reasons: Readonly<Record<Home['by'], (of: string) => string>> = {
  setting: () => 'by its setting',
  name: (of) => `by its name in .${of}`,
  address: (of) => `by its address in ${of}`,
  default: () => 'by default',
};

/** `region eu by its name in .de, fetched from us now`. */
export function regionWords({ name, by, of, fetchedFrom }: HostRegion): string {
  const now = fetchedFrom === name ? '' : `, fetched from ${fetchedFrom} now`;
  return `region ${name} ${reasons[by](of ?? '')}${now}`;
}
