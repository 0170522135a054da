/** The chores of a worker process by its roles: what is done beside the tasks that Temporal gives. */
import type { ScheduleClient, WorkflowClient } from '@temporalio/client';
import type { Logger } from 'pino';
import { backupSchedule } from '../activities/backup-schedule.ts';
import { patrol } from '../activities/patrol.ts';
import { schedulerWaking } from '../activities/scheduler-waker.ts';
import { webhookWaking } from '../activities/webhook-waker.ts';
import type { ServiceConfig } from '../config/config.ts';
import { hasSecretKeys } from '../config/secret-key.ts';
import type { WorkerRole } from '../config/settings/fetching.ts';
import { followChanges } from '../engine/changes/follow.ts';
import { createVersionReader } from '../engine/changes/read-version.ts';
import type { Chore } from '../engine/chores.ts';
import { clearExports } from '../engine/exports/upkeep.ts';
import { tellingPoliteness } from '../engine/visit/politeness.ts';
import type { Archive, SegmentUpkeep } from '../storage/archive/index.ts';
import type { ExportFiles } from '../storage/exports/index.ts';
import type { Pool } from '../storage/postgres/index.ts';
import { endRenderings, lookAgain } from '../storage/rendering/index.ts';
import type { SearchIndex } from '../storage/search/index.ts';
import { turnKey, type SecretKeys } from '../storage/sessions/index.ts';
import { hasDataFolder } from './backups.ts';
import { removal } from './removal.ts';

export interface ChoreTools {
  readonly pool: Pool;
  readonly keys: SecretKeys;
  /** Connections by which schedulers look for hosts. */
  readonly feeding: Pool;
  readonly archive: Archive;
  readonly upkeep: SegmentUpkeep;
  /** Closed segments are brought elsewhere. */
  readonly settles: boolean;
  readonly index: SearchIndex;
  readonly files: ExportFiles;
  readonly workflows: WorkflowClient;
  readonly schedule: ScheduleClient;
}

/** Pages that are looked at, or given up, in one statement. */
const renderingBatch = 500;

/** Milliseconds after which a look at changes ends: the rest belongs to the pages that wait to be read. */
const compareMs = 3_000;

export const choresOf = (
  config: ServiceConfig,
  { pool, keys, feeding, archive, upkeep, settles, index, files, workflows, schedule }: ChoreTools,
  log: Logger,
): Readonly<Record<WorkerRole, readonly Chore[]>> => ({
  control: [
    webhookWaking(pool, workflows),
    schedulerWaking(feeding, workflows),
    patrol(pool, workflows, schedule, config.shards, index.name, log),
    keyTurning(pool, keys, () => hasSecretKeys(config), log),
    ...(hasDataFolder(config)
      ? [backupSchedule(schedule, config.backupTarget === null ? null : config.backupHours)]
      : []),
  ],
  fetch: [
    tellingPoliteness(pool),
    ...removal(pool, { own: archive.own, upkeep, index }, config.retentionDays, log),
    ...(settles ? settling(upkeep) : []),
  ],
  render: [
    {
      everyMs: 300,
      // In an outage its warning would fill the log.
      longestMs: 10_000,
      looks: [
        {
          run: async () => ((await lookAgain(pool, renderingBatch))[0]?.looked ?? 0) === renderingBatch,
          fault: 'pages that wait for what their scripts asked for could not be looked at',
          warns: true,
        },
      ],
    },
  ],
  extract: [
    {
      everyMs: 2_000,
      looks: [
        {
          run: async () => ((await endRenderings(pool, renderingBatch))[0]?.ended ?? 0) > 0,
          fault: 'pages that nobody will render could not be given up',
          warns: true,
        },
      ],
    },
    {
      everyMs: 10_000,
      looks: [
        {
          run: () => clearExports(pool, files, config.exportDays),
          fault: 'exports whose time is over could not be removed',
          warns: true,
        },
      ],
    },
    {
      everyMs: 5_000,
      // A stack that runs for one crawl ends with it, and its last answers are compared all the same.
      hasLast: true,
      looks: [
        {
          run: () => followChanges(pool, createVersionReader(archive), compareMs),
          fault: 'answers could not be compared with those before them',
          warns: true,
        },
      ],
    },
  ],
});

/** Where an operator has put another key first, what the keys behind it have sealed is sealed by it. */
const keyTurning = (pool: Pool, keys: SecretKeys, hasAny: () => boolean, log: Logger): Chore => ({
  // A batch at a time, with a pause behind each: processes that have keys in another order turn the same secrets.
  everyMs: 10_000,
  looks: [
    {
      run: async () => {
        if (!hasAny()) return false;
        const { turned, left } = await turnKey(pool, keys);
        if (turned > 0)
          log.info(
            { secrets: turned, left },
            'secrets of crawls were sealed anew by the first key of the instance',
          );
        return false;
      },
      fault: 'what older keys of the instance have sealed could not be sealed anew',
      warns: true,
    },
  ],
});

/**
 * Brings closed segments to where they stay: a chore of a process that has the folder of open segments. A failure stops nobody: a segment that could not be brought is read where it is, and the disk's own watch sees to it that
 * it does not become full.
 */
export const settling = (
  upkeep: Pick<SegmentUpkeep, 'settle' | 'tidy'>,
  everyMs = 5_000,
): readonly Chore[] => [
  {
    everyMs,
    longestMs: 300_000,
    looks: [
      {
        run: (goesOn) => upkeep.settle(goesOn),
        fault: 'a closed segment could not be uploaded',
        warns: true,
      },
    ],
  },
  {
    everyMs: 3_600_000,
    looks: [
      {
        run: () => upkeep.tidy(),
        fault: 'what was begun long ago at the place of segments, and never ended, could not be removed',
        warns: true,
      },
    ],
  },
];
