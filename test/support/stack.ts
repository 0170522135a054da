/**
 * One Postgres and one Temporal (and Redis, where there is one) for all test files of the `stack` project, on a data
 * folder of their own. A file takes its own database and namespace from world.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { loadConfig } from '../../config/config.ts';
import { startStack } from '../../stack/embedded.ts';
import { migrate } from '../../storage/migrate.ts';

export interface SharedStack {
  /** The migrated database that others are cloned from: nothing may be connected to it. */
  readonly templateUrl: string;
  readonly temporalAddress: string;
  readonly temporalUiUrl: string | null;
  /** Null where there is no redis-server. */
  readonly redisUrl: string | null;
}

declare module 'vitest' {
  export interface ProvidedContext {
    stack: SharedStack;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'orbweaver-test-'));
  const stack = await startStack({
    config: { ...loadConfig(), dataDir, databaseUrl: null, temporalAddress: null, redisUrl: null },
    owner: 'up',
    ports: 'any',
    workers: [],
    api: false,
    migrate: async (databaseUrl) => {
      await migrate(databaseUrl);
    },
    onEvent: (event) => {
      if (event.kind === 'progress') process.stderr.write(`${event.message}\n`);
    },
  });
  const { postgresUrl: templateUrl, temporalAddress, temporalUiUrl, redisUrl } = stack;
  project.provide('stack', { templateUrl, temporalAddress, temporalUiUrl, redisUrl });
  return async () => {
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
