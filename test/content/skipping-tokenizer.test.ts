import fc from 'fast-check';
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { expect, it } from 'vitest';
import { skippingTokenizer } from '../../content/skipping-tokenizer.ts';
import { runs } from '../support/runs.ts';

/** All that a tokenizer tells, in order. */
function told(source: string, make: (callbacks: TokenizerCallbacks) => Tokenizer): unknown[] {
  const calls: unknown[] = [];
  const callbacks = new Proxy(
    {},
    {
      get: (_, name) =>
        name === 'isInForeignContext' ? undefined : (...args: unknown[]) => calls.push([name, ...args]),
    },
  ) as TokenizerCallbacks;
  const tokenizer = make(callbacks);
  tokenizer.write(source);
  tokenizer.end();
  return calls;
}

const piece = fc.oneof(
  fc.constantFrom(
    ...[
      '<',
      '>',
      '&',
      '</',
      '/>',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '&amp;',
      '&amp',
      '&#65;',
      '&#x2',
      '"',
      "'",
      '=',
    ],
    ...[
      '<p>',
      '<a href="x&amp;y">',
      '<script>',
      '</script>',
      '<title>',
      '</title>',
      '<textarea>',
      '<plaintext>',
    ],
    ...['<!doctype html>', '<?php', ' ', 'a', 'wörter und mehr', '\n'],
  ),
  fc.string({ maxLength: 6 }),
);

it('tells the same as the tokenizer that looks at every character', () => {
  const source = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(source, fc.boolean(), (text, recognizeSelfClosing) => {
      const plain = told(text, (callbacks) => new Tokenizer({ recognizeSelfClosing }, callbacks));
      expect(told(text, (callbacks) => skippingTokenizer(recognizeSelfClosing, callbacks))).toEqual(plain);
    }),
    { numRuns: runs(3_000) },
  );
});

it('still finds what it leans on in the tokenizer: else it would be slow, and nothing would tell', () => {
  const tokenizer = new Tokenizer({}, {} as TokenizerCallbacks);
  expect(tokenizer).toMatchObject({ index: 0, offset: 0, buffer: '' });
  expect('stateText' in tokenizer).toBe(true);
});

it('is not slowed down by a page full of one sign', () => {
  const source = '&x'.repeat(500_000);
  const start = process.cpuUsage();
  let texts = 0;
  const callbacks = new Proxy({}, { get: () => () => texts++ }) as TokenizerCallbacks;
  const tokenizer = skippingTokenizer(false, callbacks);
  tokenizer.write(source);
  tokenizer.end();
  expect(texts).toBeGreaterThan(0);
  // Searching to the end for a tag at each sign would take half a minute.
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(5);
});
