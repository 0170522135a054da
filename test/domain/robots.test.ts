/**
 * Reading robots.txt. "RFC" cases are the standard's (RFC 9309); "Google" cases are what Google documents or its
 * open-source parser does beyond it; "ours" are this project's own choices.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxRobotsOctets, parseRobots, productToken, robotsAvailability } from '../../domain/robots.ts';

function lines(...text: string[]): string {
  return text.join('\n') + '\n';
}

function allowed(robots: string | Uint8Array, agent: string, path: string): boolean {
  return parseRobots(robots).forAgent(agent).check(path).allowed;
}

describe('groups (RFC §2.1, §2.2.1)', () => {
  const merged = lines(
    'allow: /before/',
    'user-agent: alpha',
    'disallow: /',
    'allow: /one/',
    'user-agent: beta',
    'disallow: /',
    'allow: /two/',
    '',
    'allow: /three/',
    'user-agent: gamma',
    '',
    'user-agent: ALPHA',
    'allow: /four/',
    'disallow: /',
  );

  it.each([
    ['alpha', '/one/x', true],
    ['alpha', '/four/x', true],
    ['alpha', '/two/x', false],
    ['beta', '/two/x', true],
    ['beta', '/three/x', true],
    ['beta', '/four/x', false],
    ['gamma', '/four/x', true],
    ['gamma', '/one/x', false],
    ['alpha', '/before/x', false],
    ['nobody', '/anything', true],
  ])('rules of all groups that name the agent are one group: %s %s %s', (agent, path, verdict) => {
    expect(allowed(merged, agent, path)).toBe(verdict);
  });

  const specific = lines('User-agent: *', 'Disallow: /x/', 'User-agent: alpha', 'Disallow: /y/');

  it('the group of the own name replaces the * group', () => {
    expect(allowed(specific, 'alpha', '/x/a')).toBe(true);
    expect(allowed(specific, 'alpha', '/y/a')).toBe(false);
    expect(allowed(specific, 'beta', '/x/a')).toBe(false);
    expect(allowed(specific, 'beta', '/y/a')).toBe(true);
  });

  it('even where it has no rules', () => {
    expect(allowed(lines('User-agent: *', 'Disallow: /', 'User-agent: alpha'), 'alpha', '/')).toBe(true);
    expect(
      allowed(lines('User-agent: *', 'Disallow: /', 'User-agent: alpha', 'Disallow:'), 'alpha', '/'),
    ).toBe(true);
  });

  it('an agent named beside * in one group has that group for its own', () => {
    const both = lines(
      'User-agent: alpha',
      'User-agent: *',
      'Disallow: /a',
      '',
      'User-agent: *',
      'Disallow: /b',
    );
    expect(allowed(both, 'alpha', '/a')).toBe(false);
    expect(allowed(both, 'alpha', '/b')).toBe(true);
    expect(allowed(both, 'beta', '/b')).toBe(false);
  });

  it('names are compared without case and whole', () => {
    expect(allowed(specific, 'ALPHA', '/y/a')).toBe(false);
    expect(allowed(specific, 'alphabet', '/y/a')).toBe(true);
    expect(allowed(specific, 'alpha-news', '/y/a')).toBe(true);
  });

  it('RFC §2.2.4: Sitemap and unknown lines do not end a group', () => {
    for (const other of ['Sitemap: https://h/s.xml', 'Unknown: x', 'Crawl-delay: 1']) {
      const text = lines('User-agent: alpha', other, 'User-agent: *', 'Disallow: /');
      expect(allowed(text, 'alpha', '/')).toBe(false);
      expect(allowed(text, 'beta', '/')).toBe(false);
    }
  });

  it('Google: a user-agent value counts up to its first character that no token has', () => {
    const text = lines(
      'User-agent: Alpha/2.1 (x)',
      'Disallow: /',
      'User-agent: * all of you',
      'Disallow: /all',
    );
    expect(allowed(text, 'alpha', '/')).toBe(false);
    expect(allowed(text, 'beta', '/all')).toBe(false);
    expect(allowed(text, 'beta', '/')).toBe(true);
    expect(allowed(lines('User-agent: *bot', 'Disallow: /'), 'bot', '/')).toBe(true);
  });

  it('a user-agent line without a name is nobody', () => {
    const text = lines('User-agent:', 'Disallow: /');
    expect(allowed(text, '', '/')).toBe(true);
    expect(allowed(text, 'alpha', '/')).toBe(true);
  });
});

describe('lines (RFC §2.2)', () => {
  it.each([
    ['RFC: keys without case', 'USER-AGENT: a', 'dIsAlLoW: /'],
    ['RFC: white space around everything', ' \tuser-agent\t: \ta \t', '  disallow :  /  '],
    ['RFC: comments', 'user-agent: a # who', 'disallow: /#everything'],
    ['Google: no colon', 'user-agent a', 'disallow /'],
    ['Google: useragent', 'useragent: a', 'disallow: /'],
    ['Google: user agent', 'user agent: a', 'disallow: /'],
    ['Google: dissallow', 'user-agent: a', 'dissallow: /'],
    ['Google: dissalow', 'user-agent: a', 'dissalow: /'],
    ['Google: disalow', 'user-agent: a', 'disalow: /'],
    ['Google: diasllow', 'user-agent: a', 'diasllow: /'],
    ['Google: disallaw', 'user-agent: a', 'disallaw: /'],
    ['Google: the start of the key counts', 'user-agents: a', 'disallowed: /'],
    ['NUL ends a line', 'user-agent: a\0junk', 'disallow: /\0junk'],
  ])('%s', (_, agentLine, ruleLine) => {
    expect(allowed(lines(agentLine, ruleLine), 'a', '/x')).toBe(false);
  });

  it.each(['foo: /', 'disallow / more', ': /', 'dis allow: /', '# disallow: /', '/', 'disallow'])(
    'no rule: %s',
    (line) => {
      expect(allowed(lines('user-agent: a', line), 'a', '/x')).toBe(true);
    },
  );

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('RFC: %s ends a line, and lines are counted from 1', (_, end) => {
    const text = ['User-Agent: foo', 'Allow: /some', 'User-Agent: bar', '', '', 'Disallow: /'].join(end);
    expect(parseRobots(text).forAgent('bar').check('/x')).toEqual({
      allowed: false,
      rule: 'Disallow: /',
      line: 6,
    });
    expect(parseRobots(text).forAgent('foo').check('/some/x').line).toBe(2);
  });

  it('counts lines where ends are mixed', () => {
    const text = '\r\n\n\r\rUser-agent: a\r\n\r\nDisallow: /';
    expect(parseRobots(text).forAgent('a').check('/').line).toBe(7);
  });

  it.each<[string, readonly number[]]>([
    ['whole', [0xef, 0xbb, 0xbf]],
    ['Google: cut short', [0xef, 0xbb]],
  ])('a byte order mark is skipped: %s', (_, mark) => {
    const text = lines('User-agent: a', 'Disallow: /');
    expect(allowed(Uint8Array.of(...mark, ...new TextEncoder().encode(text)), 'a', '/')).toBe(false);
  });

  it('a byte order mark is skipped in text, and at its start only', () => {
    expect(allowed('\ufeff' + lines('User-agent: a', 'Disallow: /'), 'a', '/')).toBe(false);
    expect(allowed(lines('User-agent: a', '\ufeffDisallow: /'), 'a', '/')).toBe(true);
  });

  it('the octet A0 at the end of a value is no white space', () => {
    expect(allowed(lines('User-agent: a', 'Disallow: /à'), 'a', '/%C3%A0')).toBe(false);
    expect(allowed(lines('User-agent: a', 'Disallow: /à'), 'a', '/%C3x')).toBe(true);
  });

  it('reads bytes that are not UTF-8 octet by octet', () => {
    const bytes = Uint8Array.from(lines('User-agent: a', 'Disallow: /caf\xe9'), (char) => char.charCodeAt(0));
    expect(allowed(bytes, 'a', '/caf%E9')).toBe(false);
    expect(allowed(bytes, 'a', '/caf%C3%A9')).toBe(true);
  });

  it('gives back the rule as written', () => {
    const verdict = parseRobots(lines('User-agent: a', '  DisAllow :/ä*b$  # why'))
      .forAgent('a')
      .check('/ä/b');
    expect(verdict).toEqual({ allowed: false, rule: 'DisAllow :/ä*b$', line: 2 });
  });
});

describe('limits', () => {
  it('Google: a line counts up to 16,663 octets', () => {
    const value = '/' + 'a'.repeat(16_663 - 'Disallow: /'.length);
    const text = lines('User-agent: a', `Disallow: ${value}/cut/off`);
    expect(allowed(text, 'a', value)).toBe(false);
    expect(allowed(text, 'a', value.slice(0, -1) + 'b')).toBe(true);
    const shorter = lines('User-agent: a', `Disallow: ${value.slice(0, -4)}/cut/off`);
    expect(allowed(shorter, 'a', value.slice(0, -4) + '/cuX')).toBe(true);
  });

  it('RFC §2.5: 500 KiB are read, the rest is ignored', () => {
    const head = lines('User-agent: a', 'Disallow: /in');
    const filler = '#'.repeat(maxRobotsOctets - head.length - 'Disallow: /last\n'.length - 1) + '\n';
    const text = head + filler + 'Disallow: /last\n' + 'Disallow: /out\n';
    expect(allowed(text, 'a', '/in')).toBe(false);
    expect(allowed(text, 'a', '/last')).toBe(false);
    expect(allowed(text, 'a', '/out')).toBe(true);
    expect(allowed(new TextEncoder().encode(text), 'a', '/out')).toBe(true);
  });

  it('ours: a line that the limit cuts in two is ignored, not read as its first half', () => {
    const head = lines('User-agent: a', 'Disallow: /in');
    const filler = '#'.repeat(maxRobotsOctets - head.length - 'Disallow: /'.length - 1) + '\n';
    expect(allowed(head + filler + 'Disallow: /private\n', 'a', '/public')).toBe(true);
    expect(allowed(head + filler + 'Disallow: /', 'a', '/public')).toBe(false);
  });

  it('a line over both limits counts as far as the line limit', () => {
    const text = lines('User-agent: a', 'Disallow: /' + 'a'.repeat(maxRobotsOctets));
    expect(allowed(text, 'a', '/' + 'a'.repeat(20_000))).toBe(false);
    expect(allowed(text, 'a', '/b')).toBe(true);
  });

  it('the limit counts octets, not characters', () => {
    const text = lines('User-agent: a', '#' + 'é'.repeat(maxRobotsOctets / 2), 'Disallow: /');
    expect(allowed(text, 'a', '/')).toBe(true);
  });

  it('many agents over many rules take no more than linear time and memory', () => {
    const text =
      'User-agent: a\nUser-agent: b\n'.repeat(9_000) + 'Disallow: /x\nCrawl-delay: 2\n'.repeat(8_000);
    const robots = parseRobots(text);
    expect(robots.forAgent('b').check('/x').line).toBe(18_001);
    expect(robots.forAgent('a').crawlDelaySeconds).toBe(2);
  });

  it('whatever the bytes, there is an answer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.string({ unit: 'binary' }), (bytes, path) => {
        const robots = parseRobots(bytes);
        expect(typeof robots.forAgent('a').check('/' + path).allowed).toBe('boolean');
      }),
    );
  });

  it('text and its UTF-8 bytes read the same', () => {
    const word = fc.constantFrom(
      ...[
        'user-agent',
        'disallow',
        'allow',
        ':',
        ' ',
        '\n',
        '\r',
        '#',
        '/',
        'a',
        '*',
        '$',
        'é',
        '%C3%A9',
        '\0',
      ],
    );
    const text = fc.array(word, { maxLength: 60 }).map((words) => 'user-agent: a\n' + words.join(''));
    fc.assert(
      fc.property(text, fc.constantFrom('/', '/a', '/é', '/%c3%A9a', '/aa'), (body, path) => {
        const verdict = parseRobots(body).forAgent('a').check(path);
        expect(parseRobots(new TextEncoder().encode(body)).forAgent('a').check(path)).toEqual(verdict);
      }),
    );
  });
});

describe('Crawl-delay and Sitemap (outside the RFC)', () => {
  function delay(agent: string, ...text: string[]): number | null {
    return parseRobots(lines(...text)).forAgent(agent).crawlDelaySeconds;
  }

  it.each<[string, number | null]>([
    ['10', 10],
    ['0.5', 0.5],
    ['.25', 0.25],
    ['0', 0],
    ['10s', 10],
    ['-1', null],
    ['NaN', null],
    ['', null],
    ['soon', null],
    ['9'.repeat(400), null],
  ])('Crawl-delay: %s → %s', (value, seconds) => {
    expect(delay('a', 'User-agent: a', `Crawl-delay: ${value}`)).toBe(seconds);
  });

  it('belongs to the group that applies, and is not taken from * by an agent with its own', () => {
    const text = ['User-agent: *', 'Crawl-delay: 5', 'Disallow: /x', 'User-agent: a', 'Disallow: /y'];
    expect(delay('b', ...text)).toBe(5);
    expect(delay('a', ...text)).toBeNull();
  });

  it('the largest of several counts', () => {
    const text = [
      'User-agent: a',
      'Crawl-delay: 2',
      'Crawl-delay: 7',
      'Disallow: /',
      'User-agent: a',
      'Crawl-delay: 3',
    ];
    expect(delay('a', ...text)).toBe(7);
  });

  it('ours: binds the agents named above it, though no rule has ended their group', () => {
    const text = ['User-agent: a', 'Crawl-delay: 10', '', 'User-agent: *', 'Disallow: /x'];
    expect(delay('a', ...text)).toBe(10);
    expect(delay('b', ...text)).toBeNull();
    expect(delay('b', 'User-agent: a', 'User-agent: *', 'Crawl-delay: 10')).toBe(10);
  });

  it('is ignored before any user-agent line', () => {
    expect(delay('a', 'Crawl-delay: 10', 'User-agent: a', 'Disallow: /x')).toBeNull();
  });

  it('lists sitemaps of any place in the file, once each', () => {
    const text = lines(
      'Sitemap: https://h/a.xml',
      'User-agent: a',
      'site-map: https://h/é.xml # new',
      'Disallow: /',
      'SITEMAP:https://h/a.xml',
      'Sitemap:',
    );
    expect(parseRobots(text).sitemaps).toEqual(['https://h/a.xml', 'https://h/é.xml']);
  });
});

describe('productToken (RFC §2.2.1)', () => {
  it.each([
    ['Orbweaver/0.1 (+https://example.com/bot)', 'orbweaver'],
    ['Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)', 'examplebot'],
    [
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Some_Bot-x/2.1; +u) Safari/1',
      'some_bot-x',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64)', 'mozilla'],
    ['  my-bot  ', 'my-bot'],
    ['bot2/1.0', 'bot'],
    ['', ''],
    ['42', ''],
  ])('%s → %s', (userAgent, token) => {
    expect(productToken(userAgent)).toBe(token);
  });
});

describe('robotsAvailability (RFC §2.3.1)', () => {
  it.each<[number, string]>([
    [200, 'parse'],
    [204, 'parse'],
    [301, 'allow-all'],
    [401, 'allow-all'],
    [403, 'allow-all'],
    [404, 'allow-all'],
    [410, 'allow-all'],
    [429, 'unreachable'],
    [500, 'unreachable'],
    [503, 'unreachable'],
    [599, 'unreachable'],
    [101, 'unreachable'],
    [999, 'unreachable'],
  ])('%i: %s', (status, verdict) => {
    expect(robotsAvailability(status)).toBe(verdict);
  });
});
