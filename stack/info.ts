/** `run/stack.json`: how other processes find a running stack. It holds the database password: mode 0600. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { lives } from './processes.ts';

const stackInfo = z.object({
  /** The command that started the stack: `up` and `keep` stay; with `crawl` the stack ends with its crawl. */
  owner: z.enum(['up', 'crawl', 'keep']),
  dataDir: z.string(),
  /** The process that owns the stack; the stack ends with it. */
  launcher: z.object({ pid: z.number(), began: z.string() }),
  startedAt: z.iso.datetime(),
  /** Holds the password. */
  postgresUrl: z.string(),
  temporalAddress: z.string(),
  temporalNamespace: z.string(),
  /** Null if Temporal is not ours. */
  temporalUiUrl: z.string().nullable(),
  redisUrl: z.string().nullable(),
  /** Null if the stack was started without the API. */
  apiUrl: z.string().nullable(),
  /** False: nothing listens at the address of Temporal. */
  hasTemporal: z.boolean(),
  /** False: no crawl goes on in this stack. */
  hasWorkers: z.boolean(),
  /** Ports of this machine at which processes serve metrics, by their names; absent: none does. */
  metricsPorts: z.record(z.string(), z.number()).optional(),
  /** The folder of its bodies; absent: the stack was started by an older version. */
  blobDir: z.string().optional(),
  /** The program that renders pages; absent: none was found, or no worker renders. */
  browser: z.string().optional(),
});

export type StackInfo = z.infer<typeof stackInfo>;
export type StackOwner = StackInfo['owner'];

const fileIn = (dataDir: string): string => path.join(dataDir, 'run', 'stack.json');

export const writeStackInfo = (info: StackInfo): void => {
  const file = fileIn(info.dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
};

export const removeStackInfo = (dataDir: string): void => {
  rmSync(fileIn(dataDir), { force: true });
};

/** The running stack of a data folder, or null; a stack whose launcher died does not count. */
export const findRunningStack = (dataDir: string): StackInfo | null => {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(fileIn(dataDir), 'utf8'));
  } catch {
    return null;
  }
  const parsed = stackInfo.safeParse(content);
  return parsed.success && lives(parsed.data.launcher) ? parsed.data : null;
};
