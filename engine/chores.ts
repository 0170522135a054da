/** What a process does beside its other work, again and again. Its chores stand in lists (workers/chores.ts, api/main.ts). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface Look {
  /** @param goesOn asked by a long look; true as an answer: there is more now */
  readonly run: (goesOn: () => boolean) => Promise<unknown>;
  /** For the log: what has not worked. It is tried again. */
  readonly fault: string;
  /** People should know of it. */
  readonly warns?: true;
}

/** Looks that are taken one after another. One that fails keeps no other from being taken. */
export interface Chore {
  /** Milliseconds from the end of one round to the next. */
  readonly everyMs: number;
  /** Each round in a row with a fault doubles the wait, up to this. */
  readonly longestMs?: number;
  /** There is one more round when the process ends. */
  readonly hasLast?: true;
  readonly looks: readonly Look[];
}

/** Keeps at each chore until the returned function is called, which waits for the looks under way. */
export function keep(chores: readonly Chore[], log: Pick<Logger, 'warn' | 'debug'>): () => Promise<void> {
  const ended = new AbortController();
  const { signal } = ended;
  const goesOn = (): boolean => !signal.aborted;

  const waitMs = ({ everyMs, longestMs = everyMs }: Chore, failures: number): number =>
    Math.min(longestMs, everyMs * 2 ** failures);
  /** @param before rounds in a row that have had faults. Answers the same, with this round */
  const round = async (chore: Chore, before: number, takes: () => boolean): Promise<number> => {
    let failures = 0;
    for (const { run, fault, warns } of chore.looks) {
      if (!takes()) break;
      try {
        while ((await run(goesOn)) === true && goesOn());
      } catch (error) {
        failures = before + 1;
        const retryMs = waitMs(chore, failures);
        log[warns === true ? 'warn' : 'debug']({ err: error, retryMs }, `${fault}; this is tried again`);
      }
    }
    return failures;
  };
  const kept = chores.map(async (chore) => {
    for (let failures = 0; goesOn();) {
      failures = await round(chore, failures, goesOn);
      await sleep(waitMs(chore, failures), undefined, { signal }).catch(() => undefined);
    }
    if (chore.hasLast === true) await round(chore, 0, () => true);
  });
  return async () => {
    ended.abort();
    await Promise.all(kept);
  };
}
