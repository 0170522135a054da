import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLooseJson } from '../../domain/loose-json.ts';
import { processorMs } from '../support/processor-time.ts';
import { runs } from '../support/runs.ts';

describe('JSON as pages have it', () => {
  it.each([
    ['trailing commas', '{"a":[1,2,],}', [{ a: [1, 2] }]],
    ['a missing comma', '{"a":"x"\n"b":2}', [{ a: 'x', b: 2 }]],
    ['two objects', '{"a":1}\n{"b":2};{"c":3}', [{ a: 1 }, { b: 2 }, { c: 3 }]],
    [
      'comments',
      '/* x */{"a":1, // one "two"\n/* {"b":2} */ "c":"http://x.example/#"}',
      [{ a: 1, c: 'http://x.example/#' }],
    ],
    ['CDATA in comments', '//<![CDATA[\n{"a":1}\n//]]>', [{ a: 1 }]],
    ['CDATA in other comments', '/*<![CDATA[*/{"a":1}/*]]>*/', [{ a: 1 }]],
    ['a comment of HTML', '<!--\n[{"a":1}]\n-->', [[{ a: 1 }]]],
    ['breaks in strings', '{"a":"one\r\n\ttwo"}', [{ a: 'one two' }]],
    ['quotes in strings', '{"a":"The "best" of all","b":"x"}', [{ a: 'The "best" of all', b: 'x' }]],
    [
      'escapes of JavaScript',
      String.raw`{"a":"it\'s \x41\u{1F600}\
and"}`,
      [{ a: "it's A😀 and" }],
    ],
    ['other quotes and none', "{a: 'x', $b_1: undefined, c: -.5e1,}", [{ a: 'x', $b_1: null, c: -5 }]],
    ['entities', '{&quot;a&quot;:&quot;b&quot;}', [{ a: 'b' }]],
    ['a name of every object', '{"__proto__":{"a":1}', [JSON.parse('{"__proto__":{"a":1}}')]],
  ])('%s', (_, text, values) => {
    expect(readLooseJson(text).values).toEqual(values);
  });

  it.each([
    ['{"a":{"b":[1,{"c":"d', [{ a: { b: [1, { c: 'd' }] } }]],
    ['{"a":1,"b":@@}', [{ a: 1 }]],
    ['{"a":1} and so on', [{ a: 1 }]],
    ['', []],
    ['//<![CDATA[', []],
    ['function () {}', []],
  ])('keeps what can be read of %s', (text, values) => {
    expect(readLooseJson(text)).toEqual({ values, isWhole: false });
  });

  it('reads JSON as JSON.parse does, whatever stands around it', () => {
    const text = fc.record({
      value: fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
    });
    fc.assert(
      fc.property(text, ({ value }) => {
        const json = JSON.stringify(value);
        const read = readLooseJson(`<!-- ${json}; -->`);
        expect(read).toEqual({ values: [JSON.parse(json)], isWhole: true });
      }),
      { numRuns: runs(500) },
    );
  });

  it.each([
    '"',
    '{',
    '[',
    '{"a":',
    '/*',
    '//',
    ',',
    '{},',
    '{"a":"\\',
    '{"a":" x" ',
    '" \n',
    '{"a',
    '<!--',
    "'",
  ])('takes time as its length: %j over and over', (piece) => {
    const text = piece.repeat(Math.ceil(400_000 / piece.length));
    expect(processorMs(() => readLooseJson(text))).toBeLessThan(5_000);
    expect(processorMs(() => readLooseJson(`{"a":"${text}`))).toBeLessThan(5_000);
  });
});
