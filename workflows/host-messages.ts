/** Messages that operators and other workflows may send to a host's workflow (docs/operations.md has the buttons). */
import { counted } from '../domain/counted.ts';
import {
  redrivenSentence,
  addRedriven,
  isDeadLetterClass,
  noneRedriven,
  type RedriveCounts,
} from '../domain/dead-letter.ts';
import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow';
import {
  askHostSignal,
  dropHostUpdate,
  hostStateQuery,
  lostVisitSignal,
  pauseHostSignal,
  redriveHostUpdate,
  resumeHostSignal,
  retryHostSignal,
  retryHostUpdate,
  setDelayUpdate,
  wakeSignal,
  type RedriveChoice,
} from '../contracts/workflows.ts';
import { countHost, dropHost, setHostDelay, redriveLetters } from './calls.ts';
import { uncut, orCancelled } from './cancelling.ts';
import type { HostState } from './host-state.ts';
import type { RedriveInput } from '../contracts/activities.ts';

export function hearMessages(host: HostState): void {
  const { me } = host;
  setHandler(wakeSignal, () => {
    host.woken = true;
  });
  setHandler(lostVisitSignal, (lease: number | null) => {
    host.loseVisit(lease);
  });
  setHandler(askHostSignal, () => {
    host.askAt ??= Date.now();
  });
  setHandler(
    pauseHostSignal,
    (reason: string | null) => {
      host.pause(reason ?? 'an operator asked for it');
    },
    {
      description:
        'Pause this host: send no request to it until `resume`. A request in flight is finished first. Input: a reason.',
    },
  );
  setHandler(
    resumeHostSignal,
    () => {
      host.resume();
    },
    { description: 'Resume this host after `pause`. If it is parked, it is tried again.' },
  );
  setHandler(
    retryHostUpdate,
    uncut(async () => {
      await condition(host.askRetry(true));
      return `${me.origin} is tried again now; ${counted(host.carried.queued, 'URL is', 'URLs are')} queued`;
    }),
    {
      description:
        'Try this host now, with the URLs that wait for a later try, and forget backoff, failures and slowdown. The crawl-delay still holds.',
    },
  );
  setHandler(
    retryHostSignal,
    () => {
      host.askRetry(true);
    },
    { description: 'The same as the update `retry`, but without an answer: for many hosts at once (batch).' },
  );
  setHandler(
    dropHostUpdate,
    uncut(async (reason: string | null) => {
      const { dropped, ...counts } = await dropHost({ ...me, reason: reason ?? 'dropped by an operator' });
      host.counted(counts);
      host.refresh();
      return `${counted(dropped, 'queued URL')} of ${me.origin} excluded`;
    }),
    { description: 'Exclude every queued URL of this host. Input: a reason.' },
  );
  setHandler(
    setDelayUpdate,
    uncut(async (seconds: number | null) => {
      await setHostDelay({ ...me, seconds });
      host.woken = true;
      return seconds === null ? 'the delay is that of robots.txt again' : `the delay is ${String(seconds)} s`;
    }),
    {
      validator: (seconds) => {
        const valid = seconds === null || (typeof seconds === 'number' && seconds >= 0 && seconds <= 86_400);
        if (!valid)
          throw ApplicationFailure.nonRetryable(
            'the delay must be a number of seconds from 0 to 86400, or null',
          );
      },
      description:
        'Change the delay. Input: seconds between two requests (0 to 86400), for a host that you own; or null for robots.txt and the default.',
    },
  );
  setHandler(
    redriveHostUpdate,
    uncut(async (choice: RedriveChoice | null) => {
      const [letterClass, url] = [choice?.class ?? null, choice?.url ?? null];
      const done = await redriveAll({ crawlId: null, origin: me.origin, class: letterClass, url });
      host.counted(await countHost(me));
      host.woken = true;
      if (host.carried.parked && letterClass === null && url === null) await condition(host.askRetry(false));
      else host.refresh();
      // If the host is not parked any more, its requeued URLs do not wait at a parked host.
      return redrivenSentence(host.carried.parked ? done : { ...done, atParked: 0 });
    }),
    {
      validator: (choice: unknown) => {
        const problem = choiceProblem(choice);
        if (problem !== null) throw ApplicationFailure.nonRetryable(problem);
      },
      description:
        'Queue dead letters of this host again. Input: null for all (a parked host is tried again), or {"class": "client-error"}, or {"url": "…"}; those that the trouble of a parked host caused wait until the host is tried again.',
    },
  );
  setHandler(hostStateQuery, () => host.view(), {
    description: 'Mode of the host, its counts and its next visit.',
  });
}

/** Redrives all dead letters of a host (G7), in many calls. */
async function redriveAll(input: RedriveInput): Promise<RedriveCounts> {
  let counts = noneRedriven;
  let after: string | null = null;
  do {
    const call: RedriveCounts & { readonly next: string | null } = await orCancelled(
      redriveLetters({ ...input, after }),
    );
    counts = addRedriven(counts, call);
    after = call.next;
  } while (after !== null);
  return counts;
}

/** Why an input of the update `redrive` is not valid; null: it is valid. */
function choiceProblem(choice: unknown): string | null {
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
