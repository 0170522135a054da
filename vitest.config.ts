import { defineConfig } from 'vitest/config';

/** Tests here share one Postgres and one Temporal, which are started when one of them is selected. */
const onTheStack = ['test/integration/**/*.test.ts', 'test/e2e/**/*.test.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: onTheStack },
      },
      {
        extends: true,
        test: {
          name: 'stack',
          include: onTheStack,
          globalSetup: ['test/support/stack.ts'],
          testTimeout: 120_000,
        },
      },
    ],
  },
});
