/** Secrets at rest. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { secretKeysOf } from '../../config/secret-key.ts';
import { KeyMissing, SecretKeys } from '../../storage/sessions/index.ts';

const [older, newer] = [randomBytes(32), randomBytes(32)];
const keys = new SecretKeys(() => [older]);

describe('what is sealed', () => {
  it('opens again, and does not show', () => {
    const sealed = keys.seal('s3cret', 'row 1');
    expect(sealed.sealed.includes('s3cret')).toBe(false);
    expect(keys.seal('s3cret', 'row 1').sealed).not.toEqual(sealed.sealed);
    expect(keys.open(sealed, 'row 1')).toBe('s3cret');
  });

  it('opens in no other row, and not if it was changed', () => {
    const sealed = keys.seal('s3cret', 'row 1');
    expect(() => keys.open(sealed, 'row 2')).toThrow();
    for (let at = 0; at < sealed.sealed.length; at++) {
      const changed = Buffer.from(sealed.sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => keys.open({ ...sealed, sealed: changed }, 'row 1')).toThrow();
    }
  });

  it('opens by its key where another one seals by now, and says which key is missing', () => {
    const sealed = keys.seal('s3cret', 'row 1');
    expect(new SecretKeys(() => [newer, older]).open(sealed, 'row 1')).toBe('s3cret');
    const without = new SecretKeys(() => [newer]);
    expect(() => without.open(sealed, 'row 1')).toThrow(KeyMissing);
    expect(() => without.open(sealed, 'row 1')).toThrow(sealed.key_id);
  });
});

describe('the key of an instance', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'orbweaver-keys-'));
  const file = path.join(dataDir, 'secret-key');
  afterAll(() => {
    rmSync(dataDir, { recursive: true });
  });

  it('is made when it is needed, for its owner alone, and stays', () => {
    const read = secretKeysOf({ secretKeys: null, dataDir });
    expect(() => statSync(file)).toThrow();
    const [key] = read();
    expect(key).toHaveLength(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(secretKeysOf({ secretKeys: null, dataDir })()).toEqual([key]);
    writeFileSync(file, 'torn');
    expect(read()).toEqual([key]);
  });

  it('is that of the settings, if they have one', () => {
    expect(secretKeysOf({ secretKeys: [newer], dataDir: '/nowhere' })()).toEqual([newer]);
  });

  it('may stand before those that it replaces, one a line', () => {
    writeFileSync(file, `${newer.toString('base64')}\n${older.toString('base64')}\n`);
    expect(secretKeysOf({ secretKeys: null, dataDir })()).toEqual([newer, older]);
  });

  it('is not overwritten where the file holds something else', () => {
    writeFileSync(file, 'torn');
    const read = secretKeysOf({ secretKeys: null, dataDir });
    expect(read).toThrow('does not hold a key');
    writeFileSync(file, newer.toString('base64'));
    expect(read()).toEqual([newer]);
  });
});
