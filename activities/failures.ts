/** Faults of our own become failures that name the reaction they ask for; the rest stays what it is. */
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../contracts/failures.ts';
import { isStorageOutage } from '../storage/retry.ts';

const outageRetryMs = 2_000;
/** Of the blob store's file system: full, read-only, failing, out of handles. */
const diskTrouble = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'EACCES']);

function isDiskTrouble(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && diskTrouble.has(error.code)
  );
}

/** Runs an activity's body; an outage of Postgres or the blob store is nobody's URL and is tried again soon. */
export async function withOwnFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApplicationFailure) throw error;
    if (!(error instanceof Error) || !(isStorageOutage(error) || isDiskTrouble(error))) throw error;
    throw ApplicationFailure.create({
      type: failureTypes.infrastructure,
      message: `our own storage does not answer: ${error.message}`,
      nextRetryDelay: outageRetryMs,
      cause: error,
    });
  }
}
