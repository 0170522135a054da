/** `dead-letters` on a database that others use too, and `redrive` by the API of a stack that runs (G7). */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { identify } from '../../../stack/processes.ts';
import { writeStackInfo } from '../../../stack/info.ts';
import { jsonLines, runCli, type CliResult } from '../../cli/run-cli.ts';
import { newRunningCrawl, withServed } from '../api/world.ts';
import { addLetter, addUrl } from '../../support/database/index.ts';
import { ownFolder } from '../../support/given.ts';
import { withWorld, withPool } from '../../support/world.ts';

const world = withWorld();
const pool = withPool(world);
const api = withServed(pool);
const folder = ownFolder();
let crawl: string;
beforeAll(async () => {
  crawl = await newRunningCrawl(pool);
  await letter('https://a.example/1', 'server-error', 'answered \u001b[31m500');
  await letter('https://a.example/2', 'forbidden', 'answered 403');
  await letter('https://b.example/3', 'server-error', 'answered 502');
});

async function letter(url: string, letterClass: string, message: string): Promise<void> {
  const { hostId, key } = await addUrl(pool, crawl, url, { state: 'failed', reason: letterClass });
  await addLetter(pool, crawl, { hostId, key }, letterClass, {
    ...{ message, attempts: 0, headers: { server: 'nginx' } },
  });
}

/** A verb starts what it needs over this database. */
const orbweaver = (...args: readonly string[]): Promise<CliResult> =>
  runCli(args, {
    ORBWEAVER_DATA: folder,
    ORBWEAVER_DATABASE_URL: world.databaseUrl,
    ORBWEAVER_TEMPORAL_ADDRESS: world.temporalAddress,
    ORBWEAVER_TEMPORAL_NAMESPACE: world.namespace,
    ORBWEAVER_REDIS_URL: world.redisUrl ?? '',
  });
const asked = (...args: readonly string[]): Promise<CliResult> =>
  runCli([...args, '--server', api.url], {
    ORBWEAVER_DATA: folder,
    ORBWEAVER_API_KEY: api.key,
  });

it('lists them, a line each or with all evidence', { tags: ['long'] }, async () => {
  const { code, stdout } = await orbweaver('dead-letters', crawl);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^failed at +class +url +why$/);
  expect(lines[1]).toMatch(/^2\S+ \S+Z {2}(server-error|forbidden) +https:\/\/a\.example\/[12] {2}answered /);
  expect(stdout).toMatch(/forbidden +https:\/\/a\.example\/2 {2}answered 403; not tried again before 2\S+Z/);
  // What a server said does not steer the terminal.
  expect(stdout).not.toContain('\u001b');
  const [evidence] = jsonLines((await asked('dead-letters', crawl, '--class', 'forbidden', '--json')).stdout);
  expect(evidence).toMatchObject({
    url: 'https://a.example/2',
    headers: { server: 'nginx' },
    attemptedAt: [],
  });
  const ofHost = await asked('dead-letters', crawl, '--host', 'https://B.example:443');
  expect(ofHost.stdout).toMatch(/\n\S+ \S+Z {2}server-error {2}https:\/\/b\.example\/3 {2}answered 502\n$/);
  const ofNobody = await asked('dead-letters', crawl, '--host', 'https://nobody.example');
  expect(ofNobody.stdout).toBe('There are no dead letters.\n');
  expect(await asked('dead-letters', '77')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no crawl 77') as string,
  });
});

it('has them driven again by the stack that runs', async () => {
  const none = await orbweaver('redrive', crawl);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('orbweaver up') as string });

  mkdirSync(path.join(folder, 'run'), { recursive: true });
  writeFileSync(path.join(folder, 'admin-key'), api.key);
  const launcher = identify(process.pid);
  if (launcher === null) throw new Error('this process is not there');
  writeStackInfo({
    ...{ owner: 'up', dataDir: folder, launcher, startedAt: new Date().toISOString() },
    ...{ postgresUrl: world.databaseUrl, temporalAddress: world.temporalAddress },
    ...{
      temporalNamespace: world.namespace,
      temporalUiUrl: null,
      redisUrl: null,
      hasTemporal: true,
      hasWorkers: true,
      apiUrl: api.url,
    },
  });
  const one = await orbweaver('redrive', crawl, '--class', 'server-error');
  expect(one).toMatchObject({ code: 0, stdout: '2 dead letters are queued again.\n' });
  const all = await orbweaver('redrive', crawl);
  expect(all.stdout).toMatch(
    /^0 dead letters are queued again\.\n1 dead letter is left alone, since .* seven days ago; the first can be queued again at 2\S+Z\.\n$/,
  );
  const named = await orbweaver('redrive', crawl, '--url', 'https://a.example/2');
  expect(named).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('cannot be queued again before') as string,
  });
});
