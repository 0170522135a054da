/**
 * Stands for `orbweaver up`: a supervisor in a process of its own, to be killed with what it started. `services` runs
 * Postgres, Temporal and Redis; `crawler` two workers that do everything but render, one that renders, if there is a browser, and the API, on services
 * that run elsewhere.
 * Settings come by the environment as always; addresses are found in the data folder.
 */
import path from 'node:path';
import { findBrowser } from '../../browser/find.ts';
import { prepareDatabase } from '../../cli/stack/prepare-database.ts';
import { loadConfig } from '../../config/config.ts';
import { entryScript } from '../../config/package.ts';
import { startStack } from '../../stack/embedded.ts';
import { workers } from './plan.ts';

const crawler = process.argv[2] === 'crawler';
const config = loadConfig();
const stack = await startStack({
  config,
  owner: 'up',
  ports: 'any',
  workers: crawler
    ? [
        ...workers.map((name) => ({ name, roles: config.roles })),
        ...('program' in findBrowser(config.browser, process.env)
          ? [{ name: 'worker-render', roles: ['render'] as const }]
          : []),
      ]
    : [],
  api: crawler,
  migrate: async (databaseUrl) => {
    await prepareDatabase(databaseUrl, config);
  },
  scripts: {
    worker: path.join(import.meta.dirname, 'shifted-worker.ts'),
    api: entryScript('api/main'),
  },
  onEvent: (event) => {
    process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), ...event })}\n`);
  },
});
process.once('SIGTERM', () => void stack.stop());
await stack.done;
