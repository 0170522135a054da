/**
 * The keys of the instance for what must stay secret: those of the settings, or one in a file of the data folder that
 * only its owner may read. Whoever has the file can open what Postgres keeps, so a copy of the database alone tells no
 * secret, and a backup must have both.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from './config.ts';

/**
 * Called when a key is needed: most instances never need one. The first key seals, all of them open. Once the file has been
 * read well it is not read again, since every request with a session asks.
 */
export function secretKeysOf(config: Pick<Config, 'secretKeys' | 'dataDir'>): () => readonly Buffer[] {
  let known: readonly Buffer[] | null = config.secretKeys;
  return () => (known ??= keysIn(fileOf(config)));
}

/** False: none was needed yet. */
export const hasSecretKeys = (config: Pick<Config, 'secretKeys' | 'dataDir'>): boolean =>
  config.secretKeys !== null || existsSync(fileOf(config));

const fileOf = ({ dataDir }: Pick<Config, 'dataDir'>): string => path.join(dataDir, 'secret-key');

/** The keys of the file, one a line. It is made with one if there is none; of two processes that do so at once one is heard. */
function keysIn(file: string): readonly Buffer[] {
  const known = read(file);
  if (known !== null) return known;
  const made = `${file}.${String(process.pid)}`;
  writeFileSync(made, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(made, file);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(made, { force: true });
  }
  return keysIn(file);
}

/** @throws Error if there is a file that holds no key: nobody must overwrite what others may need */
function read(file: string): readonly Buffer[] | null {
  try {
    const keys = readFileSync(file, 'utf8')
      .trim()
      .split(/\s+/)
      .map((line) => Buffer.from(line, 'base64'));
    if (keys.some(({ length }) => length !== 32))
      throw new Error(`${file} does not hold a key of 32 bytes in Base64 in each line`);
    return keys;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
