/**
 * `doctor` on services that run: what it says of their schema, clock and open workflows.
 *
 * @module-tag long
 */
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { jsonLines, runCliProcess, type CliResult } from '../../cli/run-cli.ts';
import { withDesk } from '../../support/crawling.ts';
import { ownFolder } from '../../support/given.ts';
import { startNameServer } from '../../support/name-server.ts';
import { withWorld } from '../../support/world.ts';

const folder = ownFolder();
const world = withWorld();
const desk = withDesk(world);

it('tells whether the schema is up to date and open workflows replay', async () => {
  const names = await startNameServer('127.0.0.1');
  onTestFinished(() => names.close());
  // Nobody works at it, so its workflow stays open.
  await desk.start(['https://example.com/']);
  const doctor = (): Promise<CliResult> =>
    runCliProcess(['doctor', '--json'], {
      ORBWEAVER_DATA: path.join(folder, 'data'),
      ORBWEAVER_DNS: names.address,
      ORBWEAVER_BROWSER: 'off',
      ORBWEAVER_DATABASE_URL: world.databaseUrl,
      ORBWEAVER_TEMPORAL_ADDRESS: world.temporalAddress,
      ORBWEAVER_TEMPORAL_NAMESPACE: world.namespace,
    });
  const { code, stdout } = await doctor();
  const said = Object.fromEntries(
    (jsonLines(stdout) as readonly { readonly check: string; readonly says: string }[]).map(({ check, says }) => [check, says]),
  ); // prettier-ignore
  expect(said).toMatchObject({
    clock: 'as that of Postgres',
    schema: expect.stringMatching(/^up to date, at \d{4}_\w+$/) as unknown,
    workflows: '1 open one replays',
    services: 'those that the settings name',
  });
  expect(code).toBe(0);
});
