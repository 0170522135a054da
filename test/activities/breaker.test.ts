/** A breaker at work: refusals, probes by itself, lines in the log (domain/breaker.ts has the rules). */
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Breaker } from '../../engine/breakers/breaker.ts';
import { isPostgresFault, refusesAllWrites } from '../../engine/breakers/breakers.ts';
import { DependencyDown } from '../../engine/breakers/dependency-down.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly dependency: string;
  readonly breaker?: string;
}

const rules = { faults: 2, windowMs: 1_000, firstProbeMs: 500, longestProbeMs: 4_000 };
const fault = new Error('connect ECONNREFUSED');
const coded = (code: string): Error => Object.assign(new Error(`failed with ${code}`), { code });

let lines: Line[];
let down: boolean;
let probes: number;
let breaker: Breaker;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
  lines = [];
  down = true;
  probes = 0;
  breaker = new Breaker({
    dependency: 'Postgres',
    code: '08006',
    rules,
    isFault: (error) => error === fault || isPostgresFault(error),
    isCertain: refusesAllWrites,
    probe: () => {
      probes++;
      return down ? Promise.reject(fault) : Promise.resolve();
    },
    log: pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line) as Line) }),
  });
});
afterEach(() => {
  breaker.stop();
  vi.useRealTimers();
});

const fail = () => breaker.run(() => Promise.reject(fault)).catch(() => undefined);
const trip = async (): Promise<void> => {
  await fail();
  await fail();
};

describe('a breaker at work', () => {
  it('passes calls on, and their errors as they are', async () => {
    expect(await breaker.run(() => Promise.resolve(7))).toBe(7);
    await expect(breaker.run(() => Promise.reject(fault))).rejects.toBe(fault);
    expect(breaker.outage).toBeNull();
  });

  it('counts faults of the dependency, and not those of what it was asked', async () => {
    for (let call = 0; call < 9; call++) {
      await breaker.run(() => Promise.reject(new Error('duplicate key'))).catch(() => undefined);
    }
    expect(breaker.outage).toBeNull();
  });

  it.each(['53100', '25006'])(
    'opens at the first fault that says that nothing can be written: %s',
    async (code) => {
      await breaker.run(() => Promise.reject(coded(code))).catch(() => undefined);
      expect(breaker.outage).not.toBeNull();
    },
  );

  it.each(['XX000', '25P03'])(
    'counts no fault that says something of one statement or process only: %s',
    async (code) => {
      for (let call = 0; call < 9; call++)
        await breaker.run(() => Promise.reject(coded(code))).catch(() => undefined);
      expect(breaker.outage).toBeNull();
    },
  );

  it('open: refuses without a call, and says what is down and since when', async () => {
    await trip();
    const call = vi.fn(() => Promise.resolve());
    const refused = await breaker.run(call).catch((error: unknown) => error);
    expect(call).not.toHaveBeenCalled();
    expect(refused).toBeInstanceOf(DependencyDown);
    expect(refused).toMatchObject({
      dependency: 'Postgres',
      code: '08006',
      since: new Date('2026-01-01T00:00:00.000Z'),
      message: expect.stringMatching(
        /^Postgres is down since 2026-01-01T00:00:00.000Z \(connect ECONNREFUSED\)/,
      ) as string,
    });
    // Not before its next probe.
    expect((refused as DependencyDown).retryMs).toBeGreaterThan(500);
    expect((refused as DependencyDown).retryMs).toBeLessThanOrEqual(1_500);
  });

  it('lets what has begun end', async () => {
    await trip();
    expect(await breaker.watch(() => Promise.resolve('rolled back'))).toBe('rolled back');
  });

  it('probes by itself, less and less often, and closes by itself', async () => {
    await trip();
    await vi.advanceTimersByTimeAsync(499);
    expect(probes).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(probes).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(probes).toBe(2);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(probes).toBe(2);
    down = false;
    await vi.advanceTimersByTimeAsync(1);
    expect(probes).toBe(3);
    expect(breaker.outage).toBeNull();
    expect(await breaker.run(() => Promise.resolve('well'))).toBe('well');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(probes).toBe(3);
  });

  it('logs one line when it opens and one when it closes', async () => {
    await trip();
    await fail();
    await vi.advanceTimersByTimeAsync(1_600);
    down = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(lines).toMatchObject([
      { level: 50, dependency: 'Postgres', breaker: 'open' },
      { level: 40, dependency: 'Postgres', breaker: 'closed', downSeconds: 3.5 },
    ]);
  });

  it('stopped: probes no more', async () => {
    await trip();
    breaker.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(probes).toBe(0);
  });
});
