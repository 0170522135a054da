/** A pool that can be told to fail as one does whose server is away. */
import type { Pool } from '../../../storage/postgres/index.ts';

export interface FlakyPool {
  readonly pool: Pool;
  down: boolean;
  /** Calls that were refused so far. */
  readonly refused: number;
  /** Statements whose name is here are refused though the rest works. */
  readonly broken: Set<string>;
  /** The next statement of this name is the victim of a deadlock. */
  victim: string | null;
}

export function startFlakyPool(pool: Pool): FlakyPool {
  const state = { down: false, refused: 0, broken: new Set<string>(), victim: null as string | null };
  const away = (): Promise<never> => {
    state.refused++;
    return Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
  };
  const flaky = new Proxy(pool, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...params: unknown[]): unknown => {
        const [asked] = params;
        const name = typeof asked === 'object' && asked !== null && 'name' in asked ? String(asked.name) : '';
        if (state.victim === name && name !== '') {
          state.victim = null;
          return Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' }));
        }
        if ((state.down && (property === 'query' || property === 'connect')) || state.broken.has(name))
          return away();
        return Reflect.apply(value, target, params) as unknown;
      };
    },
  });
  return Object.assign(state, { pool: flaky });
}
