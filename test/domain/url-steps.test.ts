import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalRuleNames, canonicalSteps, type CanonicalRuleName } from '../../domain/url-steps.ts';
import { canonicalize } from '../../domain/url.ts';
import { runs } from '../support/runs.ts';

/** One URL for each rule, with what the rule alone makes of it. */
const alone: Readonly<Record<CanonicalRuleName, readonly [raw: string, result: string, dropped?: string]>> = {
  'white-space': [' http://h/a\nb ', 'http://h/ab'],
  slashes: ['http:\\\\h\\a\\b', 'http://h/a/b'],
  'lower-case-scheme': ['HTTP://h/A', 'http://h/A'],
  'lower-case-host': ['http://Example.COM/A', 'http://example.com/A'],
  'host-form': ['http://0x7f.1/', 'http://127.0.0.1/'],
  'default-port': ['https://h:443/a', 'https://h/a', ':443'],
  'dot-segments': ['http://h/a/./b/%2E%2e/c/../d', 'http://h/a/d'],
  'root-path': ['http://h?a', 'http://h/?a'],
  encoding: ['http://h/ä', 'http://h/%C3%A4'],
  fragment: ['http://h/a#top', 'http://h/a', '#top'],
  'host-dot': ['http://h.:81/a', 'http://h:81/a'],
  www: ['http://www.h.example/a', 'http://h.example/a'],
  'percent-encoding': ['http://h/%7ea?%41', 'http://h/~a?A'],
  'session-in-path': ['http://h/a;jsessionid=1', 'http://h/a'],
  'trailing-slash': ['http://h/a/?b', 'http://h/a?b'],
  'tracking-parameter': ['http://h/?a=1&utm_source=x', 'http://h/?a=1', 'utm_source=x'],
  'session-parameter': ['http://h/?PHPSESSID=x', 'http://h/', 'PHPSESSID=x'],
  'empty-parameters': ['http://h/?a&&b&', 'http://h/?a&b'],
  'sorted-parameters': ['http://h/?b=2&a&b=1', 'http://h/?a&b=2&b=1'],
};

describe('the steps to a canonical URL', () => {
  it.each(canonicalRuleNames)('%s', (rule) => {
    const [raw, result, dropped = null] = alone[rule];
    const rules = { dropTrailingSlash: true, dropWww: true };
    expect(canonicalSteps(raw, rules)).toEqual([{ rule, dropped, result }]);
  });

  it('come in order, each from what the one before left', () => {
    const steps = canonicalSteps('HTTP://User.Example:80/a/../b?z=1&gclid=2&a=%7e#top');
    expect(steps).toEqual([
      { rule: 'lower-case-scheme', dropped: null, result: 'http://User.Example:80/a/../b?z=1&gclid=2&a=%7e#top' },
      { rule: 'lower-case-host', dropped: null, result: 'http://user.example:80/a/../b?z=1&gclid=2&a=%7e#top' },
      { rule: 'default-port', dropped: ':80', result: 'http://user.example/a/../b?z=1&gclid=2&a=%7e#top' },
      { rule: 'dot-segments', dropped: null, result: 'http://user.example/b?z=1&gclid=2&a=%7e#top' },
      { rule: 'fragment', dropped: '#top', result: 'http://user.example/b?z=1&gclid=2&a=%7e' },
      { rule: 'percent-encoding', dropped: null, result: 'http://user.example/b?z=1&gclid=2&a=~' },
      { rule: 'tracking-parameter', dropped: 'gclid=2', result: 'http://user.example/b?z=1&a=~' },
      { rule: 'sorted-parameters', dropped: null, result: 'http://user.example/b?a=~&z=1' },
    ]); // prettier-ignore
  });

  it.each(['http://h/', 'http://h/?', 'http://h//www.a.example/', 'http://www.com/'])(
    '%s: no rule that is off takes part',
    (raw) => {
      const canonical = canonicalize(raw);
      expect(canonicalSteps(raw).at(-1)?.result ?? raw).toBe(canonical.ok && canonical.value.canonical);
    },
  );

  const piece = fc.constantFrom(
    ...[
      'a',
      'B',
      '1',
      '.',
      '..',
      '/',
      '//',
      '?',
      '&',
      '=',
      '+',
      ';',
      '(',
      ')',
      '%',
      '%4',
      '%41',
      '%2e',
      '%2F',
    ],
    ...['%e9', 'é', ' ', '\t', '#', ':', '(S(x))', ';jsessionid=1', 'utm_source=1', 'sid=', '//www.', '\\'],
    ...['a9f3c2b1d4e5f60718293a4b5c6d7e8f', '&gclid=1', '\u00a0', '\0'],
  );
  const authority = fc.constantFrom(
    ...['h', 'H.Example', 'h.', 'www.h.example', 'www.www.h.example', 'bücher.example', '0x7f.1', '[::0001]'],
    ...['@h:80', 'h:443', 'h:0080', 'h:', 'h.:8080', '%68', 'www.com'],
  );
  const url = fc
    .tuple(
      fc.constantFrom('http://', 'HTTPS://', ' http:/', 'https:\\\\', 'http:', 'ht\ntp:///'),
      authority,
      fc.constantFrom('', '/', '?', '#', '\\'),
      fc.array(piece, { maxLength: 12 }),
    )
    .map(([scheme, host, first, rest]) => scheme + host + first + rest.join(''));
  const rules = fc.record({ dropTrailingSlash: fc.boolean(), dropWww: fc.boolean() });

  it('end in the canonical form, each changing something and none changing which page it is', () => {
    fc.assert(
      fc.property(url, rules, (raw, on) => {
        const read = canonicalize(raw, undefined, on);
        fc.pre(read.ok);
        const steps = canonicalSteps(raw, on);
        expect(steps.at(-1)?.result ?? raw).toBe(read.value.canonical);
        steps.forEach(({ result }, at) => {
          expect(result).not.toBe(steps[at - 1]?.result ?? raw);
          const after = canonicalize(result, undefined, on);
          expect(after.ok && after.value.canonical).toBe(read.value.canonical);
        });
      }),
      { numRuns: runs(3_000) },
    );
  });
});
