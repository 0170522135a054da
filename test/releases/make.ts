/**
 * `npm run release-folder`: packs a data folder of this version, with a crawl in its middle, for the tests that open it with
 * every later version (test/e2e/releases.test.ts). Run once for each release, on Linux of the usual processor.
 */
import { chmodSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { version } from '../../config/package.ts';
import type { CreatedCrawl } from '../../contracts/http/crawls.ts';
import { startOwnStack } from '../support/start-stack.ts';
import { until } from '../support/until.ts';
import { pack } from './folder.ts';
import { allPages, seeds, startSite } from './site.ts';

const root = path.join(import.meta.dirname, '..', '..');
/** What the next start makes anew. */
const left = ['logs', 'run', 'redis', 'exports'];

/** Exported statements by the name that Postgres knows. */
async function statements(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const file of globSync('storage/**/*.sql.ts', { cwd: root })) {
    const family = (await import(path.join(root, file))) as Readonly<Record<string, unknown>>;
    for (const [name, value] of Object.entries(family))
      if (typeof value === 'function' && 'text' in value) found[`${file} ${name}`] = String(value.text);
  }
  return found;
}

const work = mkdtempSync(path.join(tmpdir(), 'orbweaver-release-'));
// Postgres runs as a user of its own.
chmodSync(work, 0o711);
const dataDir = path.join(work, 'data');
mkdirSync(dataDir, { mode: 0o711 });
const site = await startSite();
const { stack, key } = await startOwnStack({ dataDir });
const database = new Client({ connectionString: stack.postgresUrl });
await database.connect();
// Log files that are used again hold what was in them, which would be packed as well.
await database.query('alter system set wal_recycle = off');
await database.query('select pg_reload_conf()');
await database.query('checkpoint');
const response = await fetch(`${stack.apiUrl ?? ''}/v1/crawls`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ seeds, scope: 'any', allowPrivate: ['127.0.0.0/8'], delaySeconds: 0.5 }),
});
const { id } = (await response.json()) as CreatedCrawl;
await until('the crawl is in its middle', () => site.asked.length >= allPages.length / 3);
await database.query('alter system reset wal_recycle');
// So many that the file in use is a new one, empty but for its first records.
for (let left = 3; left > 0; left--) {
  await database.query('select pg_switch_wal()');
  await database.query('checkpoint');
}
await database.end();
await stack.stop();
await site.close();
// Moves what waits in its log into the file.
new DatabaseSync(path.join(dataDir, 'temporal', 'temporal.db')).close();
writeFileSync(path.join(work, 'statements.json'), JSON.stringify(await statements()));
for (const name of readdirSync(dataDir))
  if (left.includes(name) || name.startsWith('postgres-programs'))
    rmSync(path.join(dataDir, name), { recursive: true });
const bytes = pack(version, work);
rmSync(work, { recursive: true });
process.stdout.write(
  `Crawl ${id} of ${version}, ${String(site.asked.length)} pages: ${String(bytes)} bytes.\n`,
);
