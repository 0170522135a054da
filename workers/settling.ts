/** Side work of a process that has the folder of open segments: brings closed ones to where they stay. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SegmentUpkeep } from '../storage/archive/index.ts';

const usualLookMs = 5_000;
const longestWaitMs = 300_000;
/** Between two looks at what was begun long ago and never ended. */
const tidyMs = 3_600_000;

/**
 * Goes on until the returned function is called. A failure stops nobody: a segment that could not be brought is read
 * where it is, and the disk's own watch sees to it that it does not become full.
 */
export function settleSegments(
  upkeep: Pick<SegmentUpkeep, 'settle' | 'tidy'>,
  log: Pick<Logger, 'warn'>,
  lookMs = usualLookMs,
): () => Promise<void> {
  /** Each failure in a row doubles the wait. */
  const waitMs = (failures: number): number => Math.min(longestWaitMs, lookMs * 2 ** failures);
  const ended = new AbortController();
  const { signal } = ended;
  const goesOn = (): boolean => !signal.aborted;
  const run = async (): Promise<void> => {
    let failures = 0;
    let tidyAt = performance.now();
    while (goesOn()) {
      try {
        while (goesOn() && (await upkeep.settle(goesOn)));
        if (performance.now() >= tidyAt) {
          await upkeep.tidy();
          tidyAt = performance.now() + tidyMs;
        }
        failures = 0;
      } catch (error) {
        failures++;
        const retryMs = waitMs(failures);
        log.warn({ err: error, retryMs }, 'a closed segment could not be uploaded; this is tried again');
      }
      await sleep(waitMs(failures), undefined, { signal }).catch(() => undefined);
    }
  };
  const done = run();
  return () => {
    ended.abort();
    return done;
  };
}
