/** F03: the shares of the front queues, the bound on waiting, and no idle place. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadMode, pressureOf } from '../../../domain/front-queue/load.ts';
import { SeededRandom } from '../../../domain/front-queue/random.ts';
import {
  newSelector,
  nextPlace,
  type Choice,
  type Ready,
  type SelectorState,
} from '../../../domain/front-queue/selector.ts';
import {
  authorityShare,
  exploreEvery,
  sharesOfPlaces,
  tierBounds,
  tierOf,
  tiers,
  tierWeights,
  type LoadMode,
} from '../../../domain/front-queue/tiers.ts';
import { runs } from '../../support/runs.ts';

const seed = fc.integer();
const mode = fc.constantFrom<LoadMode>('normal', 'loaded');
const queue = fc.record({ authority: fc.nat({ max: 2 }), tail: fc.nat({ max: 2 }) });
const anyReady = fc.tuple(queue, queue, queue);
const all: Ready = [1, 1, 1].map(() => ({ authority: 5, tail: 5 })) as unknown as Ready;

/** Gives a place for each of `ready`, and what was chosen for it. */
function choices(from: number, under: LoadMode, ready: Iterable<Ready>): (Choice | null)[] {
  const random = new SeededRandom(from);
  let state = newSelector(random);
  return Array.from(ready, (each) => {
    const next = nextPlace(state, each, under, random);
    if (next !== null) ({ state } = next);
    return next?.choice ?? null;
  });
}
const times = (count: number, ready: Ready): Ready[] => Array.from({ length: count }, () => ready);
const shareOf = (chosen: readonly (Choice | null)[], is: (choice: Choice) => boolean): number =>
  chosen.filter((choice) => choice !== null && is(choice)).length / chosen.length;

describe('the shares of the front queues (F03)', () => {
  it('are those of the weights within 2 %, a fifth explores, and authority has 60 %, while all wait', () => {
    fc.assert(
      fc.property(seed, mode, (from, under) => {
        const chosen = choices(from, under, times(5_000, all));
        const byTier = chosen.filter((choice) => choice?.explored === false);
        for (const tier of tiers) {
          const weight = tierWeights[under][tier];
          expect(Math.abs(shareOf(byTier, (choice) => choice.tier === tier) - weight)).toBeLessThan(0.005);
          const place = sharesOfPlaces(under)[tier];
          expect(Math.abs(shareOf(chosen, (choice) => choice.tier === tier) - place)).toBeLessThan(0.005);
        }
        expect(shareOf(chosen, ({ explored }) => explored)).toBe(1 / exploreEvery);
        expect(chosen.every((choice) => choice?.explored === false || choice?.tier === 2)).toBe(true);
        // Drawn: of so many, the bound is eight standard deviations away.
        const drawn = choices(from, under, times(20_000, all)).filter((choice) => choice?.explored === false);
        expect(Math.abs(shareOf(drawn, ({ authority }) => authority) - authorityShare)).toBeLessThan(0.032);
      }),
      { numRuns: runs(60) },
    );
  });

  it('hold on average for crawls that are forgotten after each place', () => {
    const random = new SeededRandom(7);
    const chosen = Array.from(
      { length: 20_000 },
      () => nextPlace(newSelector(random), all, 'normal', random)?.choice ?? null,
    );
    for (const tier of tiers)
      expect(shareOf(chosen, (choice) => choice.tier === tier)).toBeGreaterThan(tierWeights.normal[tier] / 3);
  });

  it('give no place to an empty queue, and none away while anything waits', () => {
    fc.assert(
      fc.property(seed, mode, fc.array(anyReady, { maxLength: 200 }), (from, under, ready) => {
        for (const [at, choice] of choices(from, under, ready).entries()) {
          const waits = ready[at] ?? all;
          if (choice === null)
            expect(waits.every(({ authority, tail }) => authority + tail === 0)).toBe(true);
          else expect(waits[choice.tier][choice.authority ? 'authority' : 'tail']).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('let no tier wait longer than its bound, whatever comes and goes in the others', () => {
    fc.assert(
      fc.property(
        seed,
        mode,
        fc.constantFrom(...tiers),
        fc.array(anyReady, { minLength: 300, maxLength: 400 }),
        (from, under, tier, others) => {
          const ready = others.map((each) => each.with(tier, { authority: 1, tail: 1 }) as unknown as Ready);
          const bound = Math.ceil((1 / tierWeights[under][tier] + 2) * 1.25) + 1;
          let waited = 0;
          for (const choice of choices(from, under, ready)) {
            waited = choice?.tier === tier ? 0 : waited + 1;
            expect(waited).toBeLessThanOrEqual(bound);
          }
        },
      ),
    );
  });

  it('owe nothing to a tier for the time when it had no work', () => {
    const alone: Ready = all.with(2, { authority: 0, tail: 0 }) as unknown as Ready;
    fc.assert(
      fc.property(seed, mode, (from, under) => {
        const chosen = choices(from, under, [...times(500, alone), ...times(40, all)]).slice(500);
        const low = chosen.filter((choice) => choice?.tier === 2 && !choice.explored).length;
        expect(low).toBeLessThanOrEqual(40 * 0.8 * tierWeights[under][2] + 2);
      }),
    );
  });

  it('depend on nothing but the seed, and go on from a state that was written down', () => {
    fc.assert(
      fc.property(seed, fc.array(anyReady, { minLength: 2, maxLength: 60 }), (from, ready) => {
        const random = new SeededRandom(from);
        let carried = { state: newSelector(random), random: random.state };
        const chosen = ready.map((each) => {
          const { state, random: at } = JSON.parse(JSON.stringify(carried)) as {
            state: SelectorState;
            random: number;
          };
          const source = new SeededRandom(at);
          const next = nextPlace(state, each, 'normal', source);
          carried = { state: next?.state ?? state, random: source.state };
          return next?.choice ?? null;
        });
        expect(chosen).toEqual(choices(from, 'normal', ready));
      }),
    );
  });
});

describe('the tier of a priority', () => {
  it('is high from the first bound on, low below the second, and that of failed URLs is low', () => {
    expect([2, 1, tierBounds[0], 0.29, tierBounds[1], 0.11, 0, -3].map(tierOf)).toEqual([
      0, 0, 0, 1, 1, 2, 2, 2,
    ]);
  });
});

describe('the load', () => {
  it('begins and ends at different pressures, and stays between them', () => {
    const rising = [0.5, 1.3, 1.9, 2, 1.9, 1.3, 1.25, 1.3].reduce<LoadMode[]>(
      (modes, pressure) => [...modes, loadMode(modes.at(-1) ?? 'normal', pressure)],
      [],
    );
    expect(rising).toEqual(['normal', 'normal', 'normal', 'loaded', 'loaded', 'loaded', 'normal', 'normal']);
  });

  it('counts those who work and those who wait for each place', () => {
    expect(pressureOf(10, 10, 10)).toBe(2);
    expect(pressureOf(5, 0, 10)).toBe(0.5);
    expect(pressureOf(3_000, 500, 3_000)).toBe(2);
  });
});
