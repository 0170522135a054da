/**
 * Which front queue of a crawl the next place goes to.
 *
 *   exploring   In each stretch of five places one explores: the first, second, ... or fifth, as drawn. It goes to the
 *               lowest tier with work, there to the long tail.
 *   by tier     The other places are shared by start-time fair queuing (as in domain/fair-queue.ts): each tier has a
 *               mark, the tier with the lowest mark is served, and its mark moves up by 1 / weight. A tier without work
 *               is passed over and gains nothing by its absence.
 *   by class    Within the tier hosts of authority are drawn with probability 0.6 while both classes wait. Drawn and
 *               not counted: the marks of tiers and of classes would otherwise move in step, and the low tier would
 *               meet the same class each time.
 *
 * While all tiers have work the shares are exact to within one place of each tier. A tier with work waits at most
 * 1 / weight + 1 places that are shared by tier, and so 5/4 of that in all, whatever the other tiers do. While anything
 * waits, a place is given.
 */
import type { SeededRandom } from './random.ts';
import { authorityShare, exploreEvery, tiers, tierWeights, type LoadMode, type Tier } from './tiers.ts';

/** How many hosts wait in a tier, in each class. */
export interface ReadyInTier {
  readonly authority: number;
  readonly tail: number;
}
export type Ready = readonly [ReadyInTier, ReadyInTier, ReadyInTier];

/** What is remembered between places; plain, since the scheduler's workflow carries it. */
export interface SelectorState {
  /** How far the mark of each tier is ahead of the place given last, from 0 to 1 / weight. */
  readonly ahead: readonly [number, number, number];
  /** Places until this stretch ends, and how many are left after the one that explores. */
  readonly left: number;
  readonly exploresAt: number;
}

export interface Choice {
  readonly tier: Tier;
  readonly authority: boolean;
  readonly explored: boolean;
}

/** A crawl that is new, or forgotten, begins anywhere in its rounds: otherwise each would begin with the same tier. */
export const newSelector = (random: SeededRandom): SelectorState => ({
  ahead: [begin(0, random), begin(1, random), begin(2, random)],
  left: 0,
  exploresAt: 0,
});

const begin = (tier: Tier, random: SeededRandom): number => kept(random.next() / tierWeights.normal[tier]);
/** The state stays short as text. */
const kept = (number: number): number => Math.round(number * 1_000) / 1_000;

const waits = ({ authority, tail }: ReadyInTier): boolean => authority > 0 || tail > 0;

/** The queue that gets the next place; null: nothing waits. */
export function nextPlace(
  state: SelectorState,
  ready: Ready,
  mode: LoadMode,
  random: SeededRandom,
): { readonly choice: Choice; readonly state: SelectorState } | null {
  const working = tiers.filter((tier) => waits(ready[tier]));
  const lowest = working.at(-1);
  if (lowest === undefined) return null;

  const left = (state.left === 0 ? exploreEvery : state.left) - 1;
  const exploresAt = state.left === 0 ? Math.floor(random.next() * exploreEvery) : state.exploresAt;
  if (left === exploresAt) {
    const choice = { tier: lowest, authority: ready[lowest].tail === 0, explored: true };
    return { choice, state: { ...state, left, exploresAt } };
  }

  const tier = working.reduce((best, each) => (state.ahead[each] < state.ahead[best] ? each : best));
  const reached = state.ahead[tier];
  const moved = (each: Tier): number =>
    kept(Math.max(0, state.ahead[each] - reached) + (each === tier ? 1 / tierWeights[mode][tier] : 0));
  const drawn = random.next() < authorityShare;
  const { authority, tail } = ready[tier];
  return {
    choice: { tier, authority: tail === 0 || (authority > 0 && drawn), explored: false },
    state: { ahead: [moved(0), moved(1), moved(2)], left, exploresAt },
  };
}
