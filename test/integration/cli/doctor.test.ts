/**
 * `doctor` on services that run: what it says of their schema, clock and open workflows.
 *
 * @module-tag long
 */
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serviceChecks } from '../../../cli/doctor/services.ts';
import { lookAtDatabase } from '../../../cli/stack/prepare-database.ts';
import { backupSchedule } from '../../../activities/backup-schedule.ts';
import { loadConfig, type Config } from '../../../config/config.ts';
import { noteBackup } from '../../../storage/backups/index.ts';
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
  expect(said['backup']).toBe('There is no whole backup, and none is made by itself.');
});

it('tells how old the latest whole backup is, and that it is too old, by the schedule of the stack', async () => {
  const check = serviceChecks.find(({ name }) => name === 'backup');
  const { databaseUrl: postgresUrl, temporalAddress, namespace: temporalNamespace } = world;
  const look = async (settings: Partial<Config> = {}): Promise<unknown> =>
    check?.look({
      config: { ...loadConfig({}), ...settings },
      running: null,
      services: { postgresUrl, temporalAddress, temporalNamespace },
      database: await lookAtDatabase(postgresUrl),
    });
  const schedules = desk.client.schedule;
  const schedule = async (hours: number): Promise<void> => {
    await backupSchedule(schedules, hours).looks[0]?.run(() => true);
  };
  const old = { id: 'old', beganAt: Date.now() - 50 * 3_600_000, bytes: 7, added: 7, error: null };
  await noteBackup(desk.pool, JSON.stringify(old));
  const lacking = { ...old, id: 'lacking', beganAt: Date.now(), error: 'it lacks bodies' };
  await noteBackup(desk.pool, JSON.stringify(lacking));
  const none = / is 50:00:\d\d h old, and none is made by itself/;
  expect(await look()).toMatchObject([{ must: false, says: expect.stringMatching(none) as unknown }]);
  expect(await look({ backupTarget: '/backups' })).toMatchObject([
    { must: false, says: expect.stringMatching(/though ORBWEAVER_BACKUP is set here/) as unknown },
  ]);
  // The stack has a target, whatever this process was given.
  await schedule(24);
  expect(await look()).toMatchObject([
    { must: true, says: expect.stringMatching(/ is 50:00:\d\d h old, and one is to be made/) as unknown },
  ]);
  await schedule(48);
  expect(await look()).toMatch(/^the latest is 50:00:\d\d h old, and one is made every/);
  await schedules.getHandle('backup/stack').pause();
  expect(await look()).toMatchObject([{ must: false, says: expect.stringMatching(/is paused/) as unknown }]);
});
