/** A Postgres that was brought back by its own tools is adopted while nobody works on it. */
import { expect, it } from 'vitest';
import { createPool } from '../../../storage/postgres/index.ts';
import { runCli } from '../../cli/run-cli.ts';
import { ownFolder } from '../../support/given.ts';
import { withDatabase } from '../../support/world.ts';

const database = withDatabase();
const folder = ownFolder();

it('is refused as long as a process of Orbweaver is connected', async () => {
  const env = { ORBWEAVER_DATABASE_URL: database.databaseUrl, ORBWEAVER_DATA: folder };
  const worker = createPool(database.databaseUrl, 1, () => undefined);
  const connection = await worker.connect();
  expect(await runCli(['backup', 'adopt'], env)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/have 1 connection to this database\. Stop all workers and APIs/) as string,
  });
  connection.release();
  await worker.end();
  expect(await runCli(['backup', 'adopt'], env)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Adopted: 0 crawls') as string,
  });
});
