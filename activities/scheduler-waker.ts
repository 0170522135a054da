/**
 * Wakes schedulers that rest although there is work. Many processes make work: they admit URLs, find that a host
 * answers, bring a host back, or die with a lease. A scheduler that finds nothing to do notes in the database until when
 * it rests, and one look a second at the shards that rest finds all their work. So whoever makes work has to tell
 * nobody, a scheduler is signalled once however many URLs come, and where no scheduler rests a look costs next to
 * nothing. A scheduler that is not woken looks by itself in some seconds (activities/feed.ts).
 */
import type { WorkflowClient } from '@temporalio/client';
import type { Logger } from 'pino';
import { inRounds } from '../engine/rounds.ts';
import { claimDueShards } from '../storage/feeding/index.ts';
import type { Pool } from '../storage/postgres/index.ts';
import { wakeScheduler } from './open-workflows.ts';

const lookMs = 1_000;

/** Runs until the returned function is called. */
export function wakeRestingSchedulers(
  pool: Pool,
  workflows: Pick<WorkflowClient, 'signalWithStart'>,
  log: Logger,
): () => Promise<void> {
  return inRounds(
    lookMs,
    async () => {
      for (const { id } of await claimDueShards(pool)) await wakeScheduler(workflows, id);
    },
    (error) => {
      log.debug({ err: error }, 'schedulers could not be woken; they look by themselves in some seconds');
    },
  );
}
