/** Matching robots.txt rules. "RFC" cases are the standard's (RFC 9309), "Google" cases Google's documentation's. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRobots, type RobotsVerdict } from '../../domain/robots.ts';
import { compileRules, type RobotsRule } from '../../domain/robots-match.ts';
import { processorMs } from '../support/processor-time.ts';
import { runs } from '../support/runs.ts';

function verdict(rules: readonly string[], path: string): RobotsVerdict {
  return parseRobots(['user-agent: a', ...rules].join('\n'))
    .forAgent('a')
    .check(path);
}

function allowed(rules: readonly string[], path: string): boolean {
  return verdict(rules, path).allowed;
}

describe('precedence (RFC §2.2.2)', () => {
  it.each<[readonly string[], string, boolean]>([
    [['disallow: /x/page.html', 'allow: /x/'], '/x/page.html', false],
    [['allow: /x/page.html', 'disallow: /x/'], '/x/page.html', true],
    [['allow: /x/page.html', 'disallow: /x/'], '/x/', false],
    [['disallow: /x', 'allow: /x/'], '/x', false],
    [['disallow: /x', 'allow: /x/'], '/x/', true],
    // equal: allow
    [['disallow: /', 'allow: /'], '/x', true],
    [['disallow: ', 'allow: '], '/x', true],
    [['allow: /folder', 'disallow: /folder'], '/folder/page', true],
    // case counts
    [['disallow: /X/'], '/x/', true],
    // an empty rule matches nothing
    [['disallow:'], '/x', true],
    [['disallow: /x', 'allow:'], '/x', false],
    // Google: wildcards count as octets of the rule
    [['allow: /p', 'disallow: /'], '/page', true],
    [['allow: /page', 'disallow: /*.htm'], '/page.htm', false],
    [['allow: /page', 'disallow: /*.ph'], '/page.php5', true],
    [['allow: /$', 'disallow: /'], '/', true],
    [['allow: /$', 'disallow: /'], '/page.htm', false],
    [['allow: /x/page.', 'disallow: /*.html'], '/x/page.html', true],
    // octets, not characters: é counts six once escaped
    [['allow: /é', 'disallow: /*abcd'], '/éabcd', true],
  ])('%j: %s %s', (rules, path, expected) => {
    expect(allowed(rules, path)).toBe(expected);
  });

  it('RFC: /robots.txt is always allowed, and only that', () => {
    expect(verdict(['disallow: /'], '/robots.txt')).toEqual({ allowed: true, rule: null, line: null });
    expect(allowed(['disallow: /'], '/robots.txt.bak')).toBe(false);
  });

  it('tells the line that decided: of equal rules the first', () => {
    const rules = ['disallow: /b', 'disallow: /a', 'disallow: /a', 'allow: /b'];
    expect(verdict(rules, '/a')).toEqual({ allowed: false, rule: 'disallow: /a', line: 3 });
    expect(verdict(rules, '/b')).toEqual({ allowed: true, rule: 'allow: /b', line: 5 });
    expect(verdict(rules, '/c')).toEqual({ allowed: true, rule: null, line: null });
  });
});

describe('values, as Google documents them', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['/', ['/', '/a'], []],
    ['/*', ['/', '/a'], []],
    [
      '/fish',
      ['/fish', '/fish.html', '/fish/salmon.html', '/fishheads', '/fish.php?id=anything'],
      ['/Fish.asp', '/catfish', '/?id=fish', '/desert/fish'],
    ],
    ['/fish*', ['/fish', '/fishheads/yummy.html'], ['/Fish.asp', '/catfish', '/?id=fish']],
    [
      '/fish/',
      ['/fish/', '/fish/?id=anything', '/fish/salmon.htm'],
      ['/fish', '/fish.html', '/Fish/Salmon.asp'],
    ],
    [
      '/*.php',
      [
        '/index.php',
        '/folder/filename.php',
        '/folder/any.php.file.html',
        '/filename.php/',
        '/index?f=a.php/',
      ],
      ['/', '/windows.PHP', '/php/', '/index?php'],
    ],
    [
      '/*.php$',
      ['/filename.php', '/folder/filename.php', '/a.php.php'],
      ['/filename.php?parameters', '/filename.php/', '/filename.php5', '/windows.PHP', '/filename?php'],
    ],
    ['/fish*.php', ['/fish.php', '/fishheads/catfish.php?parameters'], ['/Fish.PHP']],
  ])('%s', (pattern, matching, others) => {
    for (const path of matching)
      expect([path, allowed([`disallow: ${pattern}`], path)]).toEqual([path, false]);
    for (const path of others) expect([path, allowed([`disallow: ${pattern}`], path)]).toEqual([path, true]);
  });

  it.each<[string, string, boolean]>([
    // RFC §2.2.3
    ['/foo/bar$', '/foo/bar', true],
    ['/foo/bar$', '/foo/bar/', false],
    ['/foo/*/quz', '/foo//quz', true],
    ['/foo/*/quz', '/foo/a/b/quz/c', true],
    ['/foo/*/quz', '/foo/quz', false],
    // $ is special at the end only; stars in a row are one; a star before $ changes what $ asks
    ['/a$b', '/a$bc', true],
    ['/a**b', '/axxb', true],
    ['/a*$', '/a/b', true],
    ['/*a*a$', '/a', false],
    ['/*a*a$', '/aa', true],
    ['/*ab$', '/abab', true],
    ['/a*ba$', '/aba', true],
    ['/ab*ba$', '/aba', false],
    // a rule must start where the path starts
    ['fish', '/fish', false],
    ['*fish', '/a/fish', true],
    ['$', '/', false],
    ['*$', '/a', true],
  ])('%s over %s: %s', (pattern, path, matches) => {
    expect(allowed([`disallow: ${pattern}`], path)).toBe(!matches);
  });

  it('Google: allowing index.html allows its folder', () => {
    const rules = ['allow: /open/index.html', 'disallow: /', 'disallow: /b/index.html'];
    expect(verdict(rules, '/open/')).toEqual({ allowed: true, rule: 'allow: /open/index.html', line: 2 });
    expect(allowed(rules, '/open/index.html')).toBe(true);
    expect(allowed(rules, '/open/index.htm')).toBe(false);
    expect(allowed(rules, '/open/other')).toBe(false);
    expect(allowed(['allow: /', 'disallow: /b/index.html'], '/b/')).toBe(true);
  });
});

describe('percent-encoding (RFC §2.2.2)', () => {
  it.each<[string, string, boolean]>([
    ['/foo/bar?baz=quz', '/foo/bar?baz=quz', true],
    ['/foo/bar?baz=http://foo.bar', '/foo/bar?baz=http://foo.bar', true],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84', true],
    ['/foo/bar/%E3%83%84', '/foo/bar/ツ', true],
    ['/foo/bar/%e3%83%84', '/foo/bar/%E3%83%84', true],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz', true],
    ['/foo/bar/baz', '/foo/bar/%62%61%7a', true],
    // reserved characters keep their encoding, and nothing is decoded twice
    ['/a%2Fb', '/a/b', false],
    ['/a/b', '/a%2Fb', false],
    ['/%2541', '/A', false],
    ['/%2541', '/%2541', true],
    // RFC §2.2.3: special characters meant literally
    ['/file-with-a-%2A.html', '/file-with-a-*.html', true],
    ['/file-with-a-%2A.html', '/file-with-a-x.html', false],
    ['/foo-%24', '/foo-$bar', true],
    ['/foo-%24', '/foo-', false],
    // Google: a % that starts no escape is itself
    ['/*%', '/a%20b', true],
    ['/100%', '/100%', true],
    // ours: what URL parsers escape equals its escape
    ['/a b', '/a%20b', true],
    ['/a"b', '/a%22b', true],
    ["/x?a='b'", '/x?a=%27b%27', true],
  ])('%s over %s: %s', (pattern, path, matches) => {
    expect(allowed([`disallow: ${pattern}`], path)).toBe(!matches);
  });
});

/** The definition: a table over pattern and path. Characters that need no escaping only. */
function matchesByDefinition(pattern: string, path: string): boolean {
  const toEnd = pattern.endsWith('$');
  let row = Array.from({ length: path.length + 1 }, (_, j) => j === 0);
  for (const char of toEnd ? pattern.slice(0, -1) : pattern) {
    const next: boolean[] = [];
    for (let j = 0; j <= path.length; j++) {
      if (char === '*') next.push(row[j] === true || next[j - 1] === true);
      else next.push(j > 0 && row[j - 1] === true && char === path[j - 1]);
    }
    row = next;
  }
  return toEnd ? row[path.length] === true : row.includes(true);
}

interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
}

function verdictByDefinition(
  rules: readonly Rule[],
  path: string,
): { allowed: boolean; line: number | null } {
  let best: { readonly octets: number; readonly allow: boolean; readonly line: number } | null = null;
  for (const [place, { allow, pattern }] of rules.entries()) {
    if (pattern === '' || !matchesByDefinition(pattern, path)) continue;
    const isBetter =
      best === null ||
      pattern.length > best.octets ||
      (pattern.length === best.octets && allow && !best.allow);
    if (isBetter) best = { octets: pattern.length, allow, line: place + 2 };
  }
  return { allowed: best?.allow ?? true, line: best?.line ?? null };
}

describe('agreement with the definition', () => {
  const pattern = fc.stringMatching(/^\/?[ab/*$]{0,7}\$?$/);
  const rule = fc.record({ allow: fc.boolean(), pattern });
  const path = fc.stringMatching(/^\/[ab/$]{0,9}$/);

  it('verdict and line, over random rules and paths', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 25 }), path, (rules, subject) => {
        const text = rules.map(({ allow, pattern: value }) => `${allow ? 'allow' : 'disallow'}: ${value}`);
        const { allowed: isAllowed, line } = verdict(text, subject);
        expect({ allowed: isAllowed, line }).toEqual(verdictByDefinition(rules, subject));
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('heads that start with each other, in any order', () => {
    const literal = fc
      .stringMatching(/^\/[ab]{0,6}$/)
      .map((value) => ({ allow: value.length % 2 === 0, pattern: value }));
    fc.assert(
      fc.property(fc.array(literal, { maxLength: 40 }), path, (rules, subject) => {
        const text = rules.map(({ allow, pattern: value }) => `${allow ? 'allow' : 'disallow'}: ${value}`);
        expect(verdict(text, subject).line).toBe(verdictByDefinition(rules, subject).line);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

describe('rules searched together', () => {
  const numbered = (rules: readonly Rule[]): RobotsRule[] =>
    rules.map((rule, place) => ({ ...rule, written: rule.pattern, line: place + 2 }));
  const oneByOne = (rules: readonly RobotsRule[]) => compileRules(rules, Infinity);
  const together = (rules: readonly RobotsRule[]) => compileRules(rules, 0);
  const wild = fc.record({
    allow: fc.boolean(),
    pattern: fc.stringMatching(/^\/?[ab*]{0,4}\*[ab]{1,3}[ab*]{0,6}\$?$/),
  });
  const subject = fc.stringMatching(/^\/[ab]{0,24}$/);

  it('decide as they do one by one, and as the definition says', () => {
    fc.assert(
      fc.property(fc.array(wild, { maxLength: 40 }), subject, (rules, path) => {
        const verdict = together(numbered(rules))(path);
        expect(verdict).toEqual(oneByOne(numbered(rules))(path));
        expect(verdict.line).toBe(verdictByDefinition(rules, path).line);
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('are judged anew for each path', () => {
    fc.assert(
      fc.property(fc.array(wild, { maxLength: 20 }), fc.array(subject, { maxLength: 5 }), (rules, paths) => {
        const kept = together(numbered(rules));
        for (const path of paths) expect(kept(path)).toEqual(oneByOne(numbered(rules))(path));
      }),
      { numRuns: runs(500) },
    );
  });

  it('are searched so when there are many', () => {
    const rules = Array.from({ length: 500 }, (_, i) => ({
      allow: i % 2 === 0,
      pattern: `/*x${String(i)}*y`,
    }));
    for (const path of ['/x17y', '/ax17bx499cy', '/x17', '/yx3', '/x4x44y'])
      expect(compileRules(numbered(rules))(path)).toEqual(oneByOne(numbered(rules))(path));
  });

  const digits = (i: number): string =>
    i.toString(2).padStart(16, '0').replaceAll('0', 'a').replaceAll('1', 'b');
  const many = (length: number, pattern: (i: number) => string): Rule[] =>
    Array.from({ length }, (_, i) => ({ allow: false, pattern: pattern(i) }));
  /** As many as 500 KiB hold, over a path as long as a URL may be. */
  const nearMisses: [string, Rule[], string][] = [
    ['one literal each', many(45_000, (i) => `*aaaaa${i.toString(36)}`), 'a'.repeat(2_040)],
    ['a first one that all have', many(45_000, (i) => `*a*${i.toString(36)}`), 'a'.repeat(2_040)],
    ['a last one that never comes', many(22_000, (i) => `*${digits(i)}*x`), 'aab'.repeat(680)],
    [
      'literals within each other',
      many(980, (i) => `*${'a'.repeat(i + 1)}*z`),
      `${'a'.repeat(400)}b`.repeat(5),
    ],
    ['stars without end', many(2_400, (i) => `/${'*a'.repeat(100)}b${String(i)}`), 'a'.repeat(2_040)],
  ];
  it.each(nearMisses)('do not hold the process up: %s', (_name, rules, path) => {
    const check = together(numbered(rules));
    check(`/${path}`);
    const times = Array.from({ length: 9 }, () => processorMs(() => check(`/${path}`)));
    // The median, since one or another pays for collecting garbage.
    expect(times.sort((a, b) => a - b)[4]).toBeLessThan(200);
  });
});

describe('hostile rules', () => {
  it('stars without end are no explosion', () => {
    const rules = Array.from({ length: 2_000 }, (_, i) => `disallow: /${'*a'.repeat(100)}b${String(i)}`);
    expect(allowed(rules, '/' + 'a'.repeat(2_000))).toBe(true);
    expect(allowed(['disallow: /' + '*a'.repeat(2_000) + 'b'], '/' + 'a'.repeat(2_000))).toBe(true);
  });

  it('tens of thousands of rules are read, and asked a thousand times', () => {
    const rules = Array.from({ length: 100_000 }, (_, i) => `allow:/${i.toString(36)}`);
    const agent = parseRobots(['user-agent: a', 'disallow: /', ...rules].join('\n')).forAgent('a');
    expect(agent.check('/-').allowed).toBe(false);
    for (let i = 0; i < 1_000; i++) {
      expect(agent.check(`/${i.toString(36)}/page.html`).allowed).toBe(true);
    }
  });
});
