import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDirectives, parseRobotsTag } from '../../content/robots-directives.ts';

const letters = (found: { noindex: boolean; nofollow: boolean }) =>
  (found.noindex ? 'I' : '') + (found.nofollow ? 'F' : '');

describe('directives of <meta name="robots">', () => {
  it.each([
    ['noindex', 'I'],
    ['NoFollow', 'F'],
    ['none', 'IF'],
    [' noindex ,nofollow', 'IF'],
    ['noindex nofollow', 'IF'],
    ['index, follow, all', ''],
    ['max-snippet:-1, max-image-preview:large', ''],
    ['xnoindex', ''],
    ['', ''],
  ])('%j', (content, found) => {
    expect(letters(parseDirectives(content))).toBe(found);
  });
});

describe('X-Robots-Tag', () => {
  it.each([
    [null, ''],
    ['noindex', 'I'],
    ['noindex, nofollow', 'IF'],
    ['googlebot: nofollow', ''],
    ['orbweaver: nofollow', 'F'],
    ['OrbWeaver: NOFOLLOW', 'F'],
    ['*: noindex', 'I'],
    ['googlebot: noindex, nofollow', ''],
    ['nofollow, googlebot: noindex', 'F'],
    ['googlebot: noindex, orbweaver: none', 'IF'],
    ['orbweaver2: noindex', ''],
    ['unavailable_after: 25 Jun 2010 15:00:00 PST', ''],
    ['unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, noindex', 'I'],
    ['max-snippet: 20, noindex', 'I'],
    ['max-image-preview:large, nofollow', 'F'],
    [': noindex', 'I'],
    [',,,', ''],
    // One field a line: an agent holds to the end of its own.
    ['googlebot: noindex\nnofollow', 'F'],
    ['googlebot: noindex\norbweaver: none\nother: nofollow', 'IF'],
    ['noindex\n\ngooglebot: nofollow', 'I'],
  ])('%j', (value, found) => {
    expect(letters(parseRobotsTag(value, ['orbweaver']))).toBe(found);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        parseRobotsTag(value, ['orbweaver']);
      }),
    );
  });
});
