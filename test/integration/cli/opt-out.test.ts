/**
 * `opt-out add`, `list` and `remove` on a database that others use too.
 *
 * @module-tag long
 */
import { expect, it } from 'vitest';
import { jsonLines, runCli, type CliResult } from '../../cli/run-cli.ts';
import { newRunningCrawl, withServed } from '../api/world.ts';
import { addUrl } from '../../support/database/index.ts';
import { ownFolder } from '../../support/given.ts';
import { withWorld, withPool } from '../../support/world.ts';

const world = withWorld();
const pool = withPool(world);
const api = withServed(pool);
const folder = ownFolder();

/** Each verb starts an API of its own, over this database. */
const alone = (...args: readonly string[]): Promise<CliResult> =>
  runCli(['opt-out', ...args], {
    ORBWEAVER_DATA: folder,
    ORBWEAVER_DATABASE_URL: world.databaseUrl,
    ORBWEAVER_TEMPORAL_ADDRESS: world.temporalAddress,
    ORBWEAVER_TEMPORAL_NAMESPACE: world.namespace,
    ORBWEAVER_REDIS_URL: world.redisUrl ?? '',
  });
const optOut = (...args: readonly string[]): Promise<CliResult> =>
  runCli(['opt-out', ...args, '--server', api.url], {
    ORBWEAVER_DATA: folder,
    ORBWEAVER_API_KEY: api.key,
  });

it('adds, lists and removes, and says what became of the queue', async () => {
  const crawl = await newRunningCrawl(pool);
  await addUrl(pool, crawl, 'https://www.quiet.example/1');
  const none = await alone('list');
  expect(none).toMatchObject({ code: 0, stdout: 'No domain has opted out.\n' });
  expect(await optOut('add', 'quiet.example', '--dry-run')).toMatchObject({
    code: 0,
    stdout:
      'An opt-out of quiet.example would reach 1 known host and exclude 1 queued URL. Nothing was changed.\n',
  });
  const suffix = await optOut('add', 'co.uk');
  expect([suffix.code, suffix.stderr]).toEqual([2, expect.stringContaining('--public-suffix')]);
  const added = await alone('add', 'Quiet.example', '--reason', 'their mail');
  expect(added).toMatchObject({
    code: 0,
    stdout: 'quiet.example has opted out: no further request is sent to it. 1 URL was excluded.\n',
  });
  expect((await optOut('add', 'quiet.example')).stdout).toContain('has already opted out');
  expect((await optOut('list')).stdout).toMatch(
    /^since +domain +reason\n\d{4}-\S+ \S+Z {2}quiet\.example {2}their mail\n$/,
  );
  const [entry] = jsonLines((await optOut('list', '--json')).stdout);
  expect(entry).toMatchObject({ domain: 'quiet.example', reason: 'their mail' });
  expect(await optOut('remove', 'quiet.example')).toMatchObject({
    code: 0,
    stdout: 'The opt-out of quiet.example is removed. 1 excluded URL is queued again.\n',
  });
  const again = await optOut('remove', 'quiet.example');
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('quiet.example has not opted out');
});
