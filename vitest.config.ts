import { defineConfig } from 'vitest/config';
import './test/support/no-settings.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/** Tests here share one Postgres and one Temporal, which are started when one of them is selected. */
const onTheStack = ['test/integration/**/*.test.ts', 'test/e2e/**/*.test.ts'];

/**
 * `npm test` skips the tests that are tagged `long` or `deep`, `npm run verify` those tagged `deep`. A file or folder that
 * is named on the command line is run whole, so `npm test -- test` runs everything.
 */
const named = process.argv.slice(3).some((argument) => !argument.startsWith('-'));

export default defineConfig({
  test: {
    pool: 'forks',
    // Files share a few processes: one each took half of the processor time of all tests that are not long, for loading
    // the same modules again. So what a file changes in its process (timers, environment, spies), it also puts back.
    isolate: false,
    setupFiles: ['test/support/as-found.ts'],
    // More than the two cores that are asked for: most tests wait most of the time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    tags: [
      { name: 'long', description: 'more than some five seconds', timeout: 900_000 },
      {
        name: 'deep',
        description: 'dear, and what it asserts is asserted in small as well',
        timeout: 900_000,
      },
    ],
    // Not the tag's own `skip`: a test with `skipIf` says itself whether it is skipped, and would run all the same.
    ...(!named && { tagsFilter: ['!long && !deep'] }),
    // Tests wait for conditions. These limits only end a test that waits in vain, however busy the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 120_000, interval: 100 } },
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: onTheStack },
      },
      {
        extends: true,
        test: { name: 'stack', include: onTheStack, globalSetup: ['test/support/stack.ts'] },
      },
    ],
  },
});
