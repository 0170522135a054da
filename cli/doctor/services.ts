/** Checks that need Postgres and Temporal: the clock, migrations, open workflows, backups. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ScheduleNotFoundError } from '@temporalio/client';
import { jobWorkflowId } from '../../contracts/jobs.ts';
import { counted } from '../../domain/counted.ts';
import { duration } from '../output/words.ts';
import { backupAge } from '../stack/prepare-database.ts';
import { withClient } from '../stack/temporal-client.ts';
import { replayOpen } from '../tools/replay.ts';
import { may, must, unless, type Check, type ServedPlace } from './check.ts';

const mostOffMs = 2_000;
/** File systems and their clocks are not more exact. */
const mostAheadMs = 60_000;

/** The latest change of a file in the folder's logs. */
function lastWrite(dataDir: string): number {
  const logs = path.join(dataDir, 'logs');
  if (!existsSync(logs)) return 0;
  return Math.max(0, ...readdirSync(logs).map((name) => statSync(path.join(logs, name)).mtimeMs));
}

const clock: Check<ServedPlace> = {
  name: 'clock',
  look: ({ config, database: { aheadMs } }) => {
    const future = lastWrite(config.dataDir) - Date.now();
    const cure = 'Set it by a time service (systemd-timesyncd, chrony) on every machine.';
    return unless(
      [
        future > mostAheadMs
          ? must(
              `This machine's clock is behind its own logs by ${String(Math.round(future / 1_000))} s.`,
              cure,
            )
          : null,
        Math.abs(aheadMs) > mostOffMs
          ? must(
              `This machine's clock and that of Postgres differ by ${String(Math.round(Math.abs(aheadMs) / 1_000))} s: leases stay exact, times of pages do not.`,
              cure,
            )
          : null,
      ],
      'as that of Postgres',
    );
  },
};

const schema: Check<ServedPlace> = {
  name: 'schema',
  look: ({ database: { last, pending, refusal } }) => {
    if (refusal !== null) return [must(refusal.says, refusal.cure)];
    if (last === null) return 'the database is empty: the next start makes the schema';
    if (pending.length === 0) return `up to date, at ${last}`;
    return [
      may(
        `The next start runs ${counted(pending.length, 'migration')}: ${pending.join(', ')}.`,
        'Back up first; a version that does not know them cannot start on this database afterwards.',
      ),
    ];
  },
};

const replayed = 200;

const workflows: Check<ServedPlace> = {
  name: 'workflows',
  look: async ({ services }) => {
    const { count, differences } = await replayOpen(services, replayed);
    return unless(
      differences.map((each) =>
        must(
          each,
          'Let workers of the version before finish it, or put the change behind patched(); orbweaver replay --save keeps its history.',
        ),
      ),
      count === 0
        ? 'none is open'
        : `${counted(count, 'open one')} ${count === 1 ? 'replays' : 'replay'}${count === replayed ? ', and there may be more' : ''}`,
    );
  },
};

/** Times that are due between two backups: one may fail. */
const mostLate = 2;

/**
 * What the Schedule of backups says, which is there as long as the stack is given a target (activities/backup-schedule.ts);
 * null: there is none. The settings of this command may be others.
 */
const scheduledBackups = (services: ServedPlace['services']) =>
  withClient(services, async ({ schedule }) => {
    try {
      const { spec, state } = await schedule.getHandle(jobWorkflowId('backup', 'stack')).describe();
      return { hours: (spec.intervals?.[0]?.every ?? 0) / 3_600_000, isPaused: state.paused };
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return null;
      throw error;
    }
  });

const backup: Check<ServedPlace> = {
  name: 'backup',
  look: async ({ config, services, database }) => {
    const hasTable = database.last !== null && database.refusal === null && database.pending.length === 0;
    const age = hasTable ? await backupAge(services.postgresUrl) : null;
    const found =
      age === null ? 'There is no whole backup' : `The latest whole backup is ${duration(age)} old`;
    const scheduled = await scheduledBackups(services);
    if (scheduled === null)
      return [
        config.backupTarget === null
          ? may(
              `${found}, and none is made by itself.`,
              'Set ORBWEAVER_BACKUP to a folder on another disk, or to s3://bucket/prefix (docs/backup.md).',
            )
          : may(
              `${found}, and none is made by itself, though ORBWEAVER_BACKUP is set here.`,
              'Start the stack with it; its control worker makes the Schedule backup/stack within a minute.',
            ),
      ];
    if (scheduled.isPaused)
      return [may(`${found}, and the Schedule backup/stack is paused.`, 'Resume it in Temporal Web.')];
    if (age !== null && age < mostLate * scheduled.hours * 3_600)
      return `the latest is ${duration(age)} old, and one is made every ${duration(scheduled.hours * 3_600)}`;
    return [
      (age === null ? may : must)(
        `${found}, and one is to be made every ${duration(scheduled.hours * 3_600)}.`,
        'orbweaver backup makes one now; the Schedule backup/stack in Temporal Web says why none was made.',
      ),
    ];
  },
};

export const serviceChecks: readonly Check<ServedPlace>[] = [clock, schema, workflows, backup];
