import { describe, expect, it } from 'vitest';
import { fieldValues, linesOfPairs } from '../../net/fields.ts';

const values = (lines: Parameters<typeof fieldValues>[0]) => ({ ...fieldValues(lines) });

describe('fieldValues', () => {
  it('joins repeats by commas (RFC 9110 section 5.3)', () => {
    expect(values({ vary: ['a', 'b'], server: 'x', none: undefined })).toEqual({ vary: 'a, b', server: 'x' });
  });

  it('keeps the lines of X-Robots-Tag apart', () => {
    expect(values({ 'x-robots-tag': ['otherbot: noindex', 'nofollow'] })).toEqual({
      'x-robots-tag': 'otherbot: noindex\nnofollow',
    });
  });

  it('takes a field that stands once for one, however often it is repeated', () => {
    expect(values({ location: ['/a', '/a'], 'retry-after': ['5', '5'], etag: ['"1"', '"1"'] })).toEqual({
      location: '/a',
      'retry-after': '5',
      etag: '"1"',
    });
    expect(values({ 'retry-after': ['5', '50'] })).toEqual({ 'retry-after': '5, 50' });
    expect(values({ 'content-encoding': ['gzip', 'gzip'] })).toEqual({ 'content-encoding': 'gzip, gzip' });
  });

  it('gives a Location that leads nowhere where two say different things', () => {
    expect(values({ location: ['/a', '/b'], server: 'x' })).toEqual({ location: '/a\n/b', server: 'x' });
  });

  it('goes by the last Content-Type (Fetch, extract a MIME type), and keeps cookies apart (RFC 6265 section 3)', () => {
    expect(values({ 'content-type': ['text/plain', 'text/html; charset=koi8-r'] })).toEqual({
      'content-type': 'text/html; charset=koi8-r',
    });
    expect(values({ 'set-cookie': ['a=1; expires=Wed, 09 Jun 2031 10:18:14 GMT', 'b=2'] })).toEqual({
      'set-cookie': 'a=1; expires=Wed, 09 Jun 2031 10:18:14 GMT\nb=2',
    });
  });

  it('escapes the bytes of a Location as they came', () => {
    const utf8 = Buffer.from('/straße?q=日', 'utf8').toString('latin1');
    expect(values({ location: utf8 })).toEqual({ location: '/stra%C3%9Fe?q=%E6%97%A5' });
    expect(values({ location: '/stra\xdfe' })).toEqual({ location: '/stra%DFe' });
    expect(values({ server: '\xdf' })).toEqual({ server: '\xdf' });
  });
});

describe('linesOfPairs', () => {
  it('keeps repeats apart, and names of JavaScript objects as names', () => {
    const lines = linesOfPairs([':status', '200', 'a', '1', '__proto__', 'p', 'a', '2', 'constructor', 'c']);
    expect(new Map(Object.entries(lines))).toEqual(
      new Map([
        ['a', ['1', '2']],
        ['__proto__', ['p']],
        ['constructor', ['c']],
      ]),
    );
  });
});
