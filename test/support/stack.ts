/**
 * One Postgres and one Temporal (and Redis, where there is one) for all test files of the `stack` project, on a data
 * folder of their own. A file takes its own database and namespace from world.ts.
 */
import type { TestProject } from 'vitest/node';
import { bare, isInMemory, startOwnStack } from './start-stack.ts';

export interface SharedStack {
  /** The migrated database that others are cloned from: nothing may be connected to it. */
  readonly templateUrl: string;
  readonly temporalAddress: string;
  readonly temporalUiUrl: string | null;
  /** Null where there is no redis-server. */
  readonly redisUrl: string | null;
  /** Nothing waits for a disk. */
  readonly isInMemory: boolean;
}

declare module 'vitest' {
  export interface ProvidedContext {
    stack: SharedStack;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Where a Temporal server is to take the place of the development server (test/real-temporal).
  const given = process.env['TEST_TEMPORAL_ADDRESS'];
  const { stack, close } = await startOwnStack({
    ...bare,
    ...(given !== undefined && { settings: { temporalAddress: given } }),
    onEvent: (event) => {
      if (event.kind === 'progress') process.stderr.write(`${event.message}\n`);
    },
  });
  const { postgresUrl: templateUrl, temporalAddress, temporalUiUrl, redisUrl } = stack;
  project.provide('stack', { templateUrl, temporalAddress, temporalUiUrl, redisUrl, isInMemory });
  return close;
}
