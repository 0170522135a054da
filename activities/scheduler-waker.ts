/**
 * Wakes schedulers that rest although there is work. Many processes make work: they admit URLs, find that a host
 * answers, bring a host back, or die with a lease. A scheduler that finds nothing to do notes in the database until when
 * it rests, and a few looks a second at the shards that rest find all their work. So whoever makes work has to tell
 * nobody, a scheduler is signalled once however many URLs come, and where no scheduler rests a look costs next to
 * nothing. A scheduler that is not woken looks by itself in some seconds (activities/feed.ts).
 *
 * A crawl begins with some wake-ups in a row: hosts answer, their first pages want to be read. These come at once. After
 * that schedulers are woken about once a second, since each time costs a look at all hosts.
 */
import type { WorkflowClient } from '@temporalio/client';
import type { Chore } from '../engine/chores.ts';
import { claimDueShards } from '../storage/feeding/index.ts';
import type { Pool } from '../storage/postgres/index.ts';
import { wakeScheduler } from './open-workflows.ts';

/** Looks that wake somebody: so many in a row, and one more for each `refillMs`. */
const atOnce = 3;
const refillMs = 1_000;

export function schedulerWaking(pool: Pool, workflows: Pick<WorkflowClient, 'signalWithStart'>): Chore {
  let [left, refilledAt] = [atOnce, performance.now()];
  const run = async (): Promise<void> => {
    const now = performance.now();
    left = Math.min(atOnce, left + (now - refilledAt) / refillMs);
    refilledAt = now;
    if (left < 1) return;
    const due = await claimDueShards(pool);
    if (due.length > 0) left--;
    for (const { id } of due) await wakeScheduler(workflows, id);
  };
  return { everyMs: 250, looks: [{ run, fault: 'schedulers that rest could not be woken' }] };
}
