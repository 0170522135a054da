import { describe, expect, it } from 'vitest';
import { judgeLogin } from '../../../domain/session/login-signs.ts';

describe('an answer that asks for a login', () => {
  it.each([
    ['the first that is asked of a host', null, false, 'over'],
    ['the first, asked again', null, true, 'over'],
    ['one page among good ones', 'holds', false, 'behind'],
    ['the same page, after others were answered well', 'holds', true, 'page'],
    ['a second one in a row', 'doubted', false, 'over'],
    ['the same page, with nothing in between', 'doubted', true, 'over'],
  ] as const)('%s', (_, sign, askedBefore, verdict) => {
    expect(judgeLogin(sign, askedBefore)).toBe(verdict);
  });
});
