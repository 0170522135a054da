import { describe, expect, it } from 'vitest';
import { isStorageOutage, retrying } from '../../storage/postgres/index.ts';

const failure = (code: string): Error => Object.assign(new Error(`failed with ${code}`), { code });

/** Fails as often as told, then answers. */
function failing(
  code: string,
  times: number,
): { readonly work: () => Promise<string>; readonly calls: () => number } {
  let calls = 0;
  return {
    work: () => (++calls <= times ? Promise.reject(failure(code)) : Promise.resolve('done')),
    calls: () => calls,
  };
}

describe('retrying (SQLSTATE codes, PostgreSQL manual, appendix A)', () => {
  it.each(['40001', '40P01', '55P03'])('%s passes by itself: the work is done again', async (code) => {
    const { work, calls } = failing(code, 2);
    expect(await retrying(work)).toBe('done');
    expect(calls()).toBe(3);
  });

  it('gives up at last', async () => {
    const { work, calls } = failing('55P03', 100);
    await expect(retrying(work)).rejects.toMatchObject({ code: '55P03' });
    expect(calls()).toBe(5);
  });

  it.each(['23505', '22P02', '57014', 'ECONNREFUSED'])('%s is not repeated', async (code) => {
    const { work, calls } = failing(code, 100);
    await expect(retrying(work)).rejects.toMatchObject({ code });
    expect(calls()).toBe(1);
  });
});

describe('isStorageOutage', () => {
  it.each([
    '08006',
    '08P01',
    '25P03',
    '53100',
    '53300',
    '57P01',
    '57P03',
    '58030',
    'XX000',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
  ])('%s is our own fault', (code) => {
    expect(isStorageOutage(failure(code))).toBe(true);
  });

  it.each(['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'])(
    '"%s" too',
    (message) => {
      expect(isStorageOutage(new Error(message))).toBe(true);
    },
  );

  it.each(['22P02', '23505', '40P01', '42P01', '57014'])('%s is not', (code) => {
    expect(isStorageOutage(failure(code))).toBe(false);
  });

  it('an ordinary error is not', () => {
    expect(isStorageOutage(new Error('no such crawl'))).toBe(false);
    expect(isStorageOutage('a string')).toBe(false);
  });
});
