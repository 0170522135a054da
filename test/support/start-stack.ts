/** An embedded stack on a data folder of its own, which goes with it. */
import './no-settings.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig, type Config } from '../../config/config.ts';
import { startStack, type RunningStack, type StackOptions } from '../../stack/embedded.ts';
import { prepareDatabase } from '../../cli/stack/prepare-database.ts';

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
  const { settings, dataDir = mkdtempSync(path.join(tmpdir(), 'orbweaver-test-')), ...others } = options;
  let key = '';
  const stack = await startStack({
    config: {
      ...loadConfig(),
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
