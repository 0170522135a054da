import type { Response } from 'express';
import { describe, expect, it } from 'vitest';
import { oneAtATime } from '../../api/routes/in-line.ts';
import { HttpProblem } from '../../api/way-in/problem.ts';

describe('work in line', () => {
  it('is done piece by piece, also behind one that failed, and refused where too many wait', async () => {
    const fields = new Map<string, string>();
    const response = { set: (name: string, value: string) => fields.set(name, value) } as unknown as Response;
    const inLine = oneAtATime(1);
    const told: string[] = [];
    let fail: (error: Error) => void = () => undefined;
    const first = inLine(response, () => {
      told.push('first');
      return new Promise<void>((_done, failed) => (fail = failed));
    });
    const second = inLine(response, () => {
      told.push('second');
      return Promise.resolve(2);
    });
    expect(() => inLine(response, () => Promise.resolve())).toThrow(HttpProblem);
    expect(fields.get('Retry-After')).toBe('15');
    await new Promise((wake) => setImmediate(wake));
    expect(told).toEqual(['first']);
    fail(new Error('of its own'));
    await expect(first).rejects.toThrow('of its own');
    expect(await second).toBe(2);
    expect(await inLine(response, () => Promise.resolve('again'))).toBe('again');
  });
});
