/**
 * The production build: compiled sources, the migrations and the workflow bundle in dist/, which runs without a
 * TypeScript-aware Node and without bundling workflows at start. Run by `npm run build`. Types are checked by `npm run
 * types` alone: here they are only removed.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { DefaultLogger } from '@temporalio/worker';
import { writeBundle } from './workers/workflow-bundle.ts';

rmSync('dist', { recursive: true, force: true });
const compiled = spawnSync(
  process.execPath,
  ['node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.build.json'],
  { stdio: 'inherit' },
);
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
cpSync('storage/migrations', 'dist/storage/migrations', { recursive: true });
for (const file of ['index.html', 'style.css']) cpSync(`console/${file}`, `dist/console/${file}`);
await writeBundle('dist/workflow-bundle.js', new DefaultLogger('WARN'));
