import { describe, expect, it } from 'vitest';
import { compileUrlPattern, patternProblems } from '../../contracts/url-pattern.ts';
import { processorMs } from '../support/processor-time.ts';

describe('patterns over URLs', () => {
  it.each([
    ['re:/item/[0-9]+$', 'https://a.example/item/17', true],
    ['re:/item/[0-9]+$', 'https://a.example/item/17/', false],
    ['re:^https://[a-z]+[.]a[.]example/', 'https://docs.a.example/x', true],
    ['re:(?i)[.]PDF$', 'https://a.example/x.pdf', true],
    ['re:[.]PDF$', 'https://a.example/x.pdf', false],
    ['*/item/?', 'https://a.example/item/1', true],
    ['*/item/[0-9]', 'https://a.example/item/1', false],
  ])('%s is asked of %s: %s', (pattern, url, matches) => {
    expect(patternProblems([pattern])).toEqual([]);
    expect(compileUrlPattern(pattern)(url)).toBe(matches);
  });

  it('take no time that grows faster than the URL, whatever the expression is', () => {
    const url = `https://a.example/${'a'.repeat(2_000)}!`;
    const mixed = `https://a.example/${'aabab'.repeat(400)}!`;
    // Each takes the engine of JavaScript longer than anybody waits.
    for (const hostile of [
      're:(a+)+$',
      're:(a|aa)+$',
      're:(.*a){20}$',
      're:(a|b)*a(a|b){200}c',
      're:(a{30}){31}$',
    ]) {
      expect(patternProblems([hostile]), hostile).toEqual([]);
      const matches = compileUrlPattern(hostile);
      for (let times = 0; times < 10; times++) expect([matches(url), matches(mixed)]).toEqual([false, false]);
    }
  });

  it.each([
    ['re:', /expression is empty/],
    ['re:(x', /cannot be read: missing closing \): `\(x`/],
    [String.raw`re:(a)\1`, /cannot be read: invalid escape sequence: `\\1`/],
    ['re:(?=x)', /cannot be read/],
    ['re:x{2000}', /2,000 steps together, 1,000 are allowed/],
    ['re:caf\u00e9', /"\u00e9".*percent-encoded/],
    ['re:\u0000', /no URL can match/],
    [`re:${'x'.repeat(1_001)}`, /1001 characters; 1000 are allowed/],
    [String.raw`re:\Q[\E`, /not understood/],
    ['', /the pattern is empty/],
  ])('refuses %j and says why', (pattern, why) => {
    const [problem] = patternProblems(['*', pattern]);
    expect(problem?.at).toBe(1);
    expect(problem?.message).toMatch(why);
  });

  it.each([
    ['x{900}'.repeat(100), '90,990'],
    [`(${'x'.repeat(900)}){1000}`, '901,990'],
    ['((x{10}){10}){10}', '2,100'],
    [String.raw`[(]{10}[]{5}]\({995}`, '1,996'],
  ])('bounds all expressions of a list together, and does not compile %s', (large, steps) => {
    let problems: unknown;
    const patterns = ['re:x{990}', ...Array.from({ length: 999 }, () => `re:${large}`)];
    expect(processorMs(() => (problems = patternProblems(patterns)))).toBeLessThan(1_000);
    const message = `the regular expressions up to here have ${steps} steps together, 1,000 are allowed; x{n} counts as n times x`;
    expect(problems).toEqual([{ at: 1, message }]);
  });
});
