/**
 * Redrives dead letters of a crawl (G7), however many there are, in many calls, so that people see the progress and a
 * crash loses nothing. The activity tells the crawl and its hosts. If cancelled, the workflow ends with what it has
 * done; the other letters stay.
 */
import { setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { RedriveInput } from '../contracts/activities.ts';
import { redriveStateQuery, type RedriveView, type RedriveWorkflowInput } from '../contracts/workflows.ts';
import { addRedriven, isDeadLetterClass, noneRedriven, type RedriveCounts } from '../domain/dead-letter.ts';
import { redriveLetters, retryHost } from './calls.ts';
import { orCancelled } from './cancelling.ts';

export async function redrive(input: RedriveWorkflowInput): Promise<RedriveView> {
  let view: RedriveView = { ...noneRedriven, unparked: false };
  const show = (counts: RedriveCounts): void => {
    view = { ...counts, unparked: view.unparked };
    setCurrentDetails(`### Dead letters of crawl ${input.crawlId}\n\n${redrivenSentence(counts)}`);
  };
  setHandler(redriveStateQuery, () => view, { description: 'Counts of the re-drive so far.' });
  const { mayUnpark, ...which } = input;
  const { origin } = input;
  show(await redriveAll(which, show));
  if (mayUnpark && origin !== null && input.class === null && input.url === null) {
    const { unparked } = await retryHost({ origin });
    // The host is not parked any more, so its requeued URLs do not wait at a parked host.
    view = { ...view, unparked, ...(unparked ? { atParked: 0 } : {}) };
  }
  return view;
}

/** @param soFar called with the sum after each call */
export async function redriveAll(
  input: RedriveInput,
  soFar: (counts: RedriveCounts) => void = () => undefined,
): Promise<RedriveCounts> {
  let counts = noneRedriven;
  let after: string | null = null;
  do {
    const call: RedriveCounts & { readonly next: string | null } = await orCancelled(
      redriveLetters({ ...input, after }),
    );
    counts = addRedriven(counts, call);
    after = call.next;
    soFar(counts);
  } while (after !== null);
  return counts;
}

/** What redriving did, for people. */
export function redrivenSentence({ requeued, atParked, resting, notBefore, barred }: RedriveCounts): string {
  const letters = (count: number): string =>
    count === 1 ? '1 dead letter' : `${String(count)} dead letters`;
  const are = (count: number): string => (count === 1 ? 'is' : 'are');
  const parts = [`${letters(requeued)} ${are(requeued)} queued again`];
  if (atParked > 0) parts.push(`${String(atParked)} of them wait at parked hosts`);
  if (resting > 0 && notBefore !== null) {
    const when = new Date(notBefore).toISOString();
    parts.push(
      `${letters(resting)} of class forbidden ${are(resting)} left alone until 7 days after the answer, the first until ${when}`,
    );
  }
  if (barred > 0) parts.push(`${letters(barred)} of crawls that cannot go on stay as they are`);
  return parts.join('; ');
}

/** Why an input of the update `redrive` is not valid; null: it is valid. */
export function choiceProblem(choice: unknown): string | null {
  if (choice === null || choice === undefined) return null;
  const form = 'the input must be null, {"class": "…"} or {"url": "…"}';
  if (typeof choice !== 'object' || Array.isArray(choice)) return form;
  for (const [name, value] of Object.entries(choice) as [string, unknown][]) {
    if (name !== 'class' && name !== 'url') return form;
    if (value !== null && typeof value !== 'string') return form;
    if (name === 'class' && value !== null && !isDeadLetterClass(value))
      return `there is no class ${JSON.stringify(value)} of dead letters`;
  }
  return null;
}
