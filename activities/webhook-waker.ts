/**
 * Wakes the workflows of webhooks that have something to send. Many processes write events, each together with the
 * webhook's cursor (storage/migrations/0012_webhooks.sql), so one look at the database per second finds them all. If
 * several processes look, only one gets each webhook. One call starts or wakes, so a workflow that is gone comes back.
 */
import type { WorkflowClient } from '@temporalio/client';
import type { Chore } from '../engine/chores.ts';
import type { Pool } from '../storage/postgres/index.ts';
import { claimDueWebhooks, restWebhook } from '../storage/webhooks/index.ts';
import { wakeJob } from './open-workflows.ts';

type Waker = Pick<WorkflowClient, 'signalWithStart'>;

/** Most webhooks woken in one look, and most calls to Temporal under way together. */
const mostAtOnce = 200;
const lanes = 8;

export const webhookWaking = (pool: Pool, workflows: Waker): Chore => ({
  everyMs: 1_000,
  looks: [{ run: () => wakeDue(pool, workflows), fault: 'webhooks could not be woken' }],
});

async function wakeDue(pool: Pool, workflows: Waker): Promise<void> {
  const waiting = await claimDueWebhooks(pool, mostAtOnce);
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { id } = next;
      try {
        await wakeJob(workflows, 'webhook', id);
      } catch (error) {
        // The next look, of any process, may take the webhook at once.
        await restWebhook(pool, id);
        throw error;
      }
    }
  };
  const done = await Promise.allSettled(Array.from({ length: lanes }, lane));
  const failed = done.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
