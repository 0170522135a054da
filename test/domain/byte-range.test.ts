import { expect, it } from 'vitest';
import { byteRange } from '../../domain/byte-range.ts';

it.each([
  [undefined, 10, null],
  ['bytes=0-', 10, { from: 0, to: 10 }],
  ['bytes=4-', 10, { from: 4, to: 10 }],
  ['bytes=4-4', 10, { from: 4, to: 5 }],
  ['bytes=4-6', 10, { from: 4, to: 7 }],
  ['bytes=4-99', 10, { from: 4, to: 10 }],
  ['bytes=-3', 10, { from: 7, to: 10 }],
  ['bytes=-99', 10, { from: 0, to: 10 }],
  ['bytes=10-', 10, 'beyond'],
  ['bytes=10-12', 10, 'beyond'],
  ['bytes=-0', 10, 'beyond'],
  ['bytes=0-', 0, 'beyond'],
  ['bytes=6-4', 10, null],
  ['bytes=0-1,4-5', 10, null],
  ['bytes=-', 10, null],
  ['lines=0-1', 10, null],
  ['bytes=1e3-', 10, null],
] as const)('%s of %i bytes', (range, bytes, expected) => {
  expect(byteRange(range, bytes)).toEqual(expected);
});
