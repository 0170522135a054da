/**
 * One webhook: sends its events by an activity, then waits. The activity returns how long to wait for the next retry; a
 * signal wakes the workflow when there is a new event. With nothing to send for a while the workflow ends; the signal
 * for a new event starts it again. If cancelled it ends in order, and is started within a minute when it is needed.
 * Events, receivers and secrets stay in Postgres: only the webhook's id is in the history.
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
/** Milliseconds that the workflow stays open with nothing to send: events of a crawl come a few at a time. */
const lingerMs = 600_000;

export async function webhook(input: WebhookInput): Promise<void> {
  let woken = false;
  setHandler(
    wakeSignal,
    () => {
      woken = true;
    },
    { description: 'Says that there are events to send: look now.' },
  );
  while (workflowInfo().historyLength < longHistory && !workflowInfo().continueAsNewSuggested) {
    woken = false;
    const { gone, waitMs } = await orCancelled(deliverEvents({ webhookId: input.webhookId }));
    if (gone) return;
    setCurrentDetails(
      waitMs === null
        ? 'Every event is delivered, given up, or waits for the webhook to be enabled.'
        : 'Events wait: `GET /v1/webhooks/{webhookId}/deliveries` shows attempts and failures.',
    );
    if (waitMs === 0) continue;
    await condition(() => woken, waitMs ?? lingerMs, { summary: waitMs === null ? 'idle' : 'retry' });
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set by a signal meanwhile
    if (waitMs === null && !woken) return;
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof webhook>(input);
}
