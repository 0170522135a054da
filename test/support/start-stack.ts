/** An embedded stack on a data folder of its own, which goes with it. */
import './no-settings.ts';
import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig, type Config } from '../../config/config.ts';
import { startStack, type RunningStack, type StackOptions } from '../../stack/embedded.ts';
import { prepareDatabase } from '../../cli/stack/prepare-database.ts';
import { identify } from '../../stack/processes.ts';

const memory = '/dev/shm';
const named = 'orbweaver-test-';
/** Bytes that must be free in memory, several times what a run of all tests takes. */
const plenty = 8 * 1024 ** 3;

/** On a disk Postgres waits seconds for each database that is dropped. A container may have a small memory, or none. */
export const isInMemory = ((): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= plenty;
  } catch {
    return false;
  }
})();

/** What tests have left that were killed an hour ago or before takes memory until the next ones come. */
function removeLeft(): void {
  for (const name of readdirSync(memory)) {
    const [, owner] = new RegExp(`^${named}(\\d+)-`).exec(name) ?? [];
    const folder = path.join(memory, name);
    const old = Date.now() - 3_600_000;
    if (owner === undefined || identify(Number(owner)) !== null || statSync(folder).mtimeMs > old) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeDataDir(): string {
  if (!isInMemory) return mkdtempSync(path.join(tmpdir(), named));
  removeLeft();
  return mkdtempSync(path.join(memory, `${named}${String(process.pid)}-`));
}

export interface OwnStack {
  readonly stack: RunningStack;
  readonly dataDir: string;
  /** An admin's of the instance, for the API. */
  readonly key: string;
  /** Stops the stack and removes its folder. */
  readonly close: () => Promise<void>;
}

/** With API and worker unless `options` leave them out, as `bare` does. */
export async function startOwnStack(
  options: Pick<StackOptions, 'workers' | 'api' | 'services' | 'onEvent'> & {
    readonly settings?: Partial<Config>;
    /** One that was stopped and is to go on. */
    readonly dataDir?: string;
  } = {},
): Promise<OwnStack> {
  const { settings, dataDir = makeDataDir(), ...others } = options;
  let key = '';
  const stack = await startStack({
    config: {
      // With the bodies and exports of the folder.
      ...loadConfig({ ...process.env, ORBWEAVER_DATA: dataDir }),
      // A test that renders says so.
      browser: 'off',
      // A crowded machine is no fault.
      startSeconds: 600,
      // Otherwise those of the usual data folder, which is somebody's own.
      blobDir: path.join(dataDir, 'blobs'),
      exportDir: path.join(dataDir, 'exports'),
      ...settings,
      dataDir,
      databaseUrl: null,
      temporalAddress: settings?.temporalAddress ?? null,
      redisUrl: null,
    },
    owner: 'up',
    ports: 'any',
    migrate: async (databaseUrl) => {
      key = (await prepareDatabase(databaseUrl, { dataDir, adminKey: null })).key;
    },
    ...others,
  });
  return {
    stack,
    dataDir,
    key,
    close: async () => {
      await stack.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Postgres, Temporal and Redis, and none of our own processes. */
export const bare = { workers: [], api: false } as const;
