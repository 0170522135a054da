import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterMove,
  isBalanced,
  mayMove,
  urlStates,
  type Ledger,
  type UrlState,
} from '../../domain/ledger.ts';

const empty: Ledger = { discovered: 0, queued: 0, leased: 0, done: 0, excluded: 0, dead: 0, failed: 0 };
const state = fc.constantFrom(...urlStates);

describe('moves of a URL (G1)', () => {
  it.each<[UrlState, readonly UrlState[]]>([
    ['queued', ['leased', 'excluded', 'failed']],
    ['leased', ['queued', 'done', 'excluded', 'dead', 'failed']],
    ['done', ['queued', 'excluded']],
    ['excluded', ['queued']],
    ['dead', ['queued']],
    ['failed', ['queued']],
  ])('%s may become %j and nothing else', (from, targets) => {
    expect(urlStates.filter((to) => mayMove(from, to))).toEqual(
      urlStates.filter((to) => targets.includes(to)),
    );
  });

  it('leaves no state without a way to leave it, and none that cannot be reached', () => {
    for (const from of urlStates) expect(urlStates.some((to) => mayMove(from, to))).toBe(true);
    for (const to of urlStates) expect(urlStates.some((from) => mayMove(from, to))).toBe(true);
  });
});

describe('the ledger', () => {
  it('is balanced where the states add up to what was discovered', () => {
    expect(isBalanced(empty)).toBe(true);
    expect(
      isBalanced({ ...empty, discovered: 6, queued: 1, leased: 1, done: 1, excluded: 1, dead: 1, failed: 1 }),
    ).toBe(true);
    for (const column of ['discovered', ...urlStates] as const) {
      expect(isBalanced({ ...empty, [column]: 1 })).toBe(false);
    }
  });

  it('refuses a move that is none', () => {
    expect(() => afterMove({ ...empty, discovered: 1, done: 1 }, 'done', 'leased')).toThrow(RangeError);
    expect(() => afterMove({ ...empty, discovered: 1, queued: 1 }, 'queued', 'queued')).toThrow(RangeError);
  });

  it('stays balanced under any moves', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 50 }),
        fc.array(fc.tuple(state, state), { maxLength: 100 }),
        (admitted, moves) => {
          const end = moves.reduce<Ledger>(
            (ledger, [from, to]) =>
              mayMove(from, to) && ledger[from] > 0 ? afterMove(ledger, from, to) : ledger,
            { ...empty, discovered: admitted, queued: admitted },
          );
          expect(isBalanced(end)).toBe(true);
          expect(end.discovered).toBe(admitted);
          for (const each of urlStates) expect(end[each]).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
