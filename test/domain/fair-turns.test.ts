import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairTurns, type Turn, type TurnBounds } from '../../domain/fair-turns.ts';
import { runs } from '../support/runs.ts';

const few: TurnBounds = { atOnce: 2, atOnceOfOne: 1, waiting: 5, waitingOfOne: 3 };
const settled = (): Promise<void> => new Promise((wake) => setImmediate(wake));

/** Asks for turns by name, and notes which of them begin. */
function desk(bounds: TurnBounds) {
  const turns = new FairTurns(bounds);
  const begun: string[] = [];
  const held = new Map<string, Turn>();
  return {
    begun,
    ask: (flow: number, name: string, patient = false): string => {
      const turn = patient ? turns.join(flow) : turns.ask(flow);
      if (typeof turn === 'string') return turn;
      held.set(name, turn);
      void turn.begins.then(() => begun.push(name));
      return 'in';
    },
    end: async (name: string): Promise<void> => {
      held.get(name)?.end();
      await settled();
    },
  };
}

describe('turns of many flows', () => {
  it('of one flow are held closed, and another flow goes through', async () => {
    const { ask, end, begun } = desk(few);
    for (const name of ['a1', 'a2', 'a3', 'a4']) expect(ask(1, name)).toBe('in');
    expect(ask(1, 'a5')).toBe('full-for-one');
    expect(ask(2, 'b1')).toBe('in');
    await settled();
    expect(begun).toEqual(['a1', 'b1']);
    await end('b1');
    // The place that is free is no place for a flow that has its share.
    expect(begun).toEqual(['a1', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1', 'a2']);
  });

  it('come in turns, however long the line of one flow is, and whoever is new comes next', async () => {
    const { ask, end, begun } = desk({ ...few, atOnce: 1, waiting: 50 });
    for (const name of ['a1', 'a2', 'a3']) ask(1, name);
    for (const name of ['b1', 'b2']) ask(2, name);
    await settled();
    await end('a1');
    ask(3, 'c1');
    for (const name of ['b1', 'c1', 'a2', 'b2', 'a3']) await end(name);
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('are not refused for the parts of works of others, however many wait', async () => {
    const { ask, end, begun } = desk({ atOnce: 1, atOnceOfOne: 1, waiting: 2, waitingOfOne: 2 });
    for (let part = 1; part <= 9; part++) ask(1, `part ${String(part)}`, true);
    expect(ask(2, 'b')).toBe('in');
    await settled();
    await end('part 1');
    expect(begun).toEqual(['part 1', 'b']);
    expect([ask(3, 'c'), ask(4, 'd'), ask(5, 'e')]).toEqual(['in', 'in', 'full']);
  });

  it('are refused where so many wait of all, but for the parts of a work that was let in', async () => {
    const { ask, begun } = desk({ atOnce: 1, atOnceOfOne: 1, waiting: 2, waitingOfOne: 2 });
    for (const flow of [1, 2, 3]) expect(ask(flow, `of ${String(flow)}`)).toBe('in');
    expect(ask(4, 'late')).toBe('full');
    expect(ask(4, 'a part', true)).toBe('in');
    await settled();
    expect(begun).toEqual(['of 1']);
  });

  it('that are given up while they wait make room, and never begin', async () => {
    const { ask, end, begun } = desk(few);
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask(1, name);
    ask(2, 'b1');
    ask(3, 'c1');
    await end('a2');
    await end('c1');
    expect(ask(1, 'a5')).toBe('in');
    await end('a1');
    await end('b1');
    expect(begun).toEqual(['a1', 'b1', 'a3']);
  });

  it('keep their bounds and lose nobody, whatever comes and goes', async () => {
    const step = fc.record({ flow: fc.integer({ min: 0, max: 3 }), ends: fc.boolean(), which: fc.nat(20) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const turns = new FairTurns(few);
        const open: { flow: number; turn: Turn; begun: boolean }[] = [];
        for (const { flow, ends, which } of steps) {
          if (ends && open.length > 0) {
            open.splice(which % open.length, 1)[0]?.turn.end();
          } else {
            const turn = turns.ask(flow);
            if (typeof turn === 'string') continue;
            const one = { flow, turn, begun: false };
            open.push(one);
            void turn.begins.then(() => (one.begun = true));
          }
          await settled();
          const running = open.filter(({ begun }) => begun);
          const flows = new Set(open.map((one) => one.flow));
          expect(new Set(running.map((one) => one.flow)).size).toBe(running.length);
          // No place stays empty while a flow without a turn wants one.
          expect(running.length).toBe(Math.min(few.atOnce, flows.size));
        }
      }),
      { numRuns: runs(60) },
    );
  });
});
