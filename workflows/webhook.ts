/**
 * One webhook: has its events sent, and waits. Between two calls it knows how long to wait for the next retry; whoever
 * finds a new event wakes it. With nothing left to send for a while it ends; it is started again like it is woken.
 * Cancelled, too, it ends in order: the next one that is needed is started within a minute.
 * What is to be sent, to whom and signed with what stays in Postgres: only the webhook's id is in the history.
 */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { wakeSignal, type WebhookInput } from '../contracts/workflows.ts';
import { deliverEvents } from './calls.ts';
import { orCancelled } from './cancelling.ts';

const longHistory = 400;
/** Milliseconds it stays with nothing to do: events of a crawl come some at a time. */
const lingerMs = 600_000;

export async function webhook(input: WebhookInput): Promise<void> {
  let woken = false;
  setHandler(
    wakeSignal,
    () => {
      woken = true;
    },
    { description: 'There are events to be sent: look now.' },
  );
  while (workflowInfo().historyLength < longHistory && !workflowInfo().continueAsNewSuggested) {
    woken = false;
    const { gone, waitMs } = await orCancelled(deliverEvents({ webhookId: input.webhookId }));
    if (gone) return;
    setCurrentDetails(
      waitMs === null
        ? 'Everything is delivered, given up, or waits for the webhook to be enabled.'
        : 'Events wait: `GET /v1/webhooks/{webhookId}/deliveries` tells of attempts and failures.',
    );
    if (waitMs === 0) continue;
    await condition(() => woken, waitMs ?? lingerMs, { summary: waitMs === null ? 'idle' : 'retry' });
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set by a signal meanwhile
    if (waitMs === null && !woken) return;
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof webhook>(input);
}
