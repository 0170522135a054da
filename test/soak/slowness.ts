/** What a soak tells its slowed worker, and what that tells back: files, since the worker is a child of a supervisor. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { StageName } from '../../domain/pressure.ts';

export interface Slowness {
  /** Names the part of the soak; the worker counts anew in each. */
  readonly phase: string;
  /** Milliseconds that each page, or each body, takes; 0: no more than usual. */
  readonly readMs: number;
  readonly diskMs: number;
}

/** The most that each stage had. */
export type Fullest = Readonly<Partial<Record<StageName, number>>>;

/** Of the environment; the worker's supervisor hands it on. */
const variable = 'SOAK_FOLDER';

export function setSoakFolder(folder: string): void {
  process.env[variable] = folder;
}
export function soakFolder(): string {
  const folder = process.env[variable];
  if (folder === undefined) throw new Error(`${variable} is not set`);
  return folder;
}

const write = (file: string, value: unknown): void => {
  writeFileSync(`${file}.new`, JSON.stringify(value));
  renameSync(`${file}.new`, file);
};
const slownessFile = (folder: string): string => path.join(folder, 'slowness.json');
const fullestFile = (folder: string, phase: string): string => path.join(folder, `fullest-${phase}.json`);

export const setSlowness = (folder: string, slowness: Slowness): void =>
  write(slownessFile(folder), slowness);
export const readSlowness = (folder: string): Slowness =>
  JSON.parse(readFileSync(slownessFile(folder), 'utf8')) as Slowness;
export const writeFullest = (folder: string, phase: string, fullest: Fullest): void =>
  write(fullestFile(folder, phase), fullest);
export const readFullest = (folder: string, phase: string): Fullest =>
  JSON.parse(readFileSync(fullestFile(folder, phase), 'utf8')) as Fullest;
