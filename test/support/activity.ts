/** Runs activities without Temporal's server. */
import { asyncLocalStorage, type Context } from '@temporalio/activity';

interface Surroundings {
  /** Cancels the activity; absent: nobody does. */
  readonly signal?: AbortSignal;
  readonly heartbeat?: () => void;
  /** Time that may pass between two beats. */
  readonly heartbeatTimeoutMs?: number;
}

export const asActivity = <T>(
  work: () => Promise<T>,
  {
    signal = new AbortController().signal,
    heartbeat = () => undefined,
    heartbeatTimeoutMs = 8_000,
  }: Surroundings = {},
): Promise<T> => {
  const context = { cancellationSignal: signal, heartbeat, info: { heartbeatTimeoutMs } };
  return asyncLocalStorage.run(context as unknown as Context, work);
};
