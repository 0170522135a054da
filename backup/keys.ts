/**
 * The keys of what is sealed in Postgres, which are kept apart from a backup. A backup knows them by their prints: an
 * instance whose key is being turned has several, one a line, and any file that has one of them is its own.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import type { Manifest } from './manifest.ts';
import { unlessMissing } from './repository.ts';

/** The file of the data folder with the keys; null: there is none. */
export const secretKey = ({ dataDir }: Pick<Config, 'dataDir'>): Promise<string | null> =>
  unlessMissing(readFile(path.join(dataDir, 'secret-key'), 'utf8'));

const printOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Tell the keys of a file apart, in its order, and say nothing of a key: each has 256 random bits. */
export const printsOf = (file: string | null): string[] => (file?.match(/\S+/g) ?? []).map(printOf);

type Keyed = Pick<Manifest, 'keyPrint' | 'keyPrints'>;
const keysOf = ({ keyPrint, keyPrints }: Keyed): readonly string[] =>
  keyPrints ?? (keyPrint === null ? [] : [keyPrint]);

/** How many keys of the instance a file does not have. */
export function lackedKeys(backup: Keyed, file: string | null): number {
  // Builds between 0.2.0 and the next told one print of a file with several keys.
  const there = new Set([...printsOf(file), ...(file === null ? [] : [printOf(file.trim())])]);
  return keysOf(backup).filter((print) => !there.has(print)).length;
}

/** Has a file any key of the instance? */
export const hasAnyKey = (backup: Keyed, file: string): boolean =>
  lackedKeys(backup, file) < keysOf(backup).length;
