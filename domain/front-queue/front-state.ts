/** What is remembered from one look to the next about the front queues of a shard, or of a door. Small and plain. */
import { loadMode } from './load.ts';
import { givePlaces, type Giving, type PlaceGiven } from './places.ts';
import { SeededRandom } from './random.ts';
import type { SelectorState } from './selector.ts';
import type { Starts } from './starts.ts';
import type { LoadMode } from './tiers.ts';

export interface FrontState {
  /** Where the sequence of random numbers goes on. */
  readonly random: number;
  readonly mode: LoadMode;
  /** Of the crawls that got places last, the latest at the end. */
  readonly selectors: readonly (readonly [crawlId: number, state: SelectorState])[];
  /** Of places that wait for their first visit; absent: at a door, and before the first look. */
  readonly starts?: Starts;
}

/** A crawl that is forgotten begins anywhere in its rounds. The state of so many takes about 2 KB. */
const mostRemembered = 32;

export const newFront = (seed: number): FrontState => ({ random: seed | 0, mode: 'normal', selectors: [] });

/** The front once so many hosts are worked or wait for each place (load.ts). */
export const underPressure = (front: FrontState, pressure: number): FrontState => ({
  ...front,
  mode: loadMode(front.mode, pressure),
});

/** As `givePlaces`. */
export function giveFromFront(
  front: FrontState,
  giving: Omit<Giving, 'mode' | 'selectors' | 'random'>,
): { readonly places: readonly PlaceGiven[]; readonly front: FrontState } {
  const random = new SeededRandom(front.random);
  const before = new Map(front.selectors);
  const { places, selectors } = givePlaces({ ...giving, mode: front.mode, selectors: before, random });
  const others = front.selectors.filter(([crawlId]) => !selectors.has(crawlId));
  return {
    places,
    front: {
      ...front,
      random: random.state,
      selectors: [...others, ...selectors].slice(-mostRemembered),
    },
  };
}

/** How places were given, in numbers. */
export interface PlacesGiven {
  readonly byTier: readonly [high: number, medium: number, low: number];
  readonly authority: number;
  /** Of `byTier`, those that explored. */
  readonly explored: number;
}

export const noPlaces: PlacesGiven = { byTier: [0, 0, 0], authority: 0, explored: 0 };

export const countPlaces = (places: readonly PlaceGiven[]): PlacesGiven => {
  const of = (tier: number): number => places.filter((place) => place.tier === tier).length;
  return {
    byTier: [of(0), of(1), of(2)],
    authority: places.filter(({ authority }) => authority).length,
    explored: places.filter(({ explored }) => explored).length,
  };
};

export const addPlaces = (one: PlacesGiven, other: PlacesGiven): PlacesGiven => ({
  byTier: [one.byTier[0] + other.byTier[0], one.byTier[1] + other.byTier[1], one.byTier[2] + other.byTier[2]],
  authority: one.authority + other.authority,
  explored: one.explored + other.explored,
});
