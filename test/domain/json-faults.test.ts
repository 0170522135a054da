/** Names given twice and nesting without end (RFC 7493 section 2.3, RFC 8259 section 9). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFault, maxJsonDepth, maxJsonNames, maxJsonParts } from '../../domain/json-faults.ts';

describe('jsonFault', () => {
  it('finds none in what a writer of JSON writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 2), (value, indent) => {
        expect(jsonFault(JSON.stringify(value, null, indent))).toBeNull();
      }),
    );
  });

  it('finds a name given twice, wherever the object stands and however the name is spelled', () => {
    const spelled = (name: string): string =>
      `"${name.replaceAll(/./gs, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme-ascii', maxLength: 8 }),
        fc.jsonValue(),
        fc.boolean(),
        fc.integer({ min: 0, max: 5 }),
        (name, between, isSpelled, depth) => {
          const twice = isSpelled ? spelled(name) : JSON.stringify(name);
          const object = `{${JSON.stringify(name)}:${JSON.stringify(between)},${twice}:1}`;
          const text = `${'[{"x":'.repeat(depth)}${object}${'}]'.repeat(depth)}`;
          expect(JSON.parse(text)).toBeDefined();
          expect(jsonFault(text)).toMatch(/^The name .* is given twice in one object\.$/);
        },
      ),
    );
  });

  it.each(['{"a":{"a":1},"b":[{"a":1},{"a":2}]}', '{"a":"a","b":"a"}', '["a","a"]', '{"a\\"":1,"a":"\\\\"}'])(
    'finds none in %s',
    (text) => {
      expect(jsonFault(text)).toBeNull();
    },
  );

  it('allows just so many names', () => {
    const object = (names: number): string =>
      JSON.stringify(
        Object.fromEntries(Array.from({ length: names }, (_, index) => [`n${String(index)}`, 1])),
      );
    expect(jsonFault(object(maxJsonNames))).toBeNull();
    expect(jsonFault(object(maxJsonNames + 1))).toMatch(/more than 1000 names/);
    expect(jsonFault(`[${object(maxJsonNames)},${object(maxJsonNames)}]`)).toBeNull();
  });

  it('allows just so much depth', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(jsonFault(nested(maxJsonDepth))).toBeNull();
    expect(jsonFault(nested(maxJsonDepth + 1))).toMatch(/nested deeper than 64/);
    expect(jsonFault(`"${nested(100)}"`)).toBeNull();
  });

  it('ends, on anything', () => {
    const parts = fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'a', '"a":', '"\\u0061":');
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 60 }), (some) => {
        const fault = jsonFault(some.join(''));
        expect(fault === null || fault.endsWith('.')).toBe(true);
      }),
    );
  });

  it('finds more arrays and objects than any request has', () => {
    const listOf = (parts: number): string => `[${Array.from({ length: parts - 1 }, () => '[]').join()}]`;
    expect(jsonFault(listOf(maxJsonParts))).toBeNull();
    expect(jsonFault(listOf(maxJsonParts + 1))).toBe('The body has more than 100000 arrays and objects.');
  });
});
