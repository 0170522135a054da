/** Checks that need Postgres and Temporal: the clock, migrations, open workflows, backups. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { counted } from '../../domain/counted.ts';
import { duration } from '../output/words.ts';
import { backupAge } from '../stack/prepare-database.ts';
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

const backup: Check<ServedPlace> = {
  name: 'backup',
  look: async ({ config, services, database }) => {
    const { backupTarget, backupHours } = config;
    const hasTable = database.last !== null && database.refusal === null && database.pending.length === 0;
    const age = hasTable ? await backupAge(services.postgresUrl) : null;
    const found = age === null ? 'There is no backup' : `The latest whole backup is ${duration(age)} old`;
    if (backupTarget === null)
      return [
        may(
          `${found}, and none is made by itself.`,
          'Set ORBWEAVER_BACKUP to a folder on another disk, or to s3://bucket/prefix (docs/backup.md).',
        ),
      ];
    if (age !== null && age < mostLate * backupHours * 3_600) return `the latest is ${duration(age)} old`;
    return [
      (age === null ? may : must)(
        `${found}, and ORBWEAVER_BACKUP is set.`,
        'orbweaver backup makes one now; the Schedule backup/stack in Temporal Web says why none was made.',
      ),
    ];
  },
};

export const serviceChecks: readonly Check<ServedPlace>[] = [clock, schema, workflows, backup];
