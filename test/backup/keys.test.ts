/** Which files of keys fit a backup. */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hasAnyKey, lackedKeys, printsOf } from '../../backup/keys.ts';

const [older, newer, other] = Array.from({ length: 3 }, () => randomBytes(32).toString('base64')) as [
  ...[string, string, string],
];

describe('a backup of an instance whose key was being turned', () => {
  const keyPrints = printsOf(`${newer}\n${older}\n`);
  const backup = { keyPrint: keyPrints[0] ?? null, keyPrints };

  it.each([
    ['as it was', `${newer}\n${older}\n`, 0],
    ['in another order, by other ends of lines', `\r\n${older}\r\n${newer}`, 0],
    ['with one that came later', `${other}\n${newer}\n${older}`, 0],
    ['before the turn', `${older}\n`, 1],
    ['after it', newer, 1],
  ])('takes its file %s', (_, file, lacked) => {
    expect([hasAnyKey(backup, file), lackedKeys(backup, file)]).toEqual([true, lacked]);
  });

  it('takes no file of another instance, and misses all keys where there is none', () => {
    expect(hasAnyKey(backup, other)).toBe(false);
    expect(hasAnyKey(backup, '\n')).toBe(false);
    expect(lackedKeys(backup, null)).toBe(2);
  });
});

it('a backup of 0.2.0, which knew of one key, takes files that have it', () => {
  const backup = { keyPrint: printsOf(older)[0] ?? null };
  expect(hasAnyKey(backup, `${newer}\n${older}\n`)).toBe(true);
  expect(hasAnyKey(backup, newer)).toBe(false);
});

it('a backup of a build before this one, which told of a file with two keys as one, takes that file', () => {
  const file = `${newer}\n${older}\n`;
  const keyPrint = createHash('sha256').update(file.trim()).digest('hex').slice(0, 16);
  expect([hasAnyKey({ keyPrint }, file), hasAnyKey({ keyPrint }, older)]).toEqual([true, false]);
});

it('a backup of an instance without a key takes none', () => {
  expect(hasAnyKey({ keyPrint: null, keyPrints: [] }, older)).toBe(false);
  expect(lackedKeys({ keyPrint: null, keyPrints: [] }, null)).toBe(0);
});
