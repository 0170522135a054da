/** Turns faults of our own into failures named by the reaction they ask for; other errors stay as they are. */
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../contracts/failures.ts';
import { isStorageOutage } from '../storage/postgres/index.ts';
import { SearchDown } from '../storage/search/index.ts';
import { DependencyDown } from '../engine/breakers/dependency-down.ts';
import { isDiskTrouble } from '../engine/breakers/watched-blobs.ts';

/** Milliseconds until a retry, if no breaker says when. */
const outageRetryMs = 2_000;

/**
 * Runs an activity's body. A fault of ours is blamed on no URL and is retried without limit. The failure says what is
 * down and since when, for Temporal Web.
 */
export async function withOwnFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DependencyDown) {
      const { dependency, since } = error;
      throw ownFault(error, error.message, error.retryMs, [{ dependency, since: since.toISOString() }]);
    }
    if (!(error instanceof Error) || error instanceof ApplicationFailure) throw error;
    if (error instanceof SearchDown)
      throw ownFault(error, `our own index for searches has a problem: ${error.message}`, outageRetryMs);
    if (isDiskTrouble(error))
      throw ownFault(error, `our own machine or disk has a problem: ${error.message}`, outageRetryMs);
    if (isStorageOutage(error))
      throw ownFault(error, `our own Postgres does not answer: ${error.message}`, outageRetryMs);
    throw error;
  }
}

const ownFault = (
  cause: Error,
  message: string,
  nextRetryDelay: number,
  details: readonly unknown[] = [],
): ApplicationFailure =>
  ApplicationFailure.create({
    type: failureTypes.infrastructure,
    message,
    nextRetryDelay,
    details: [...details],
    cause,
  });
