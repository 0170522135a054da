/** Tells Temporal that an activity is alive: each beat is a call of the server that also says whether to cancel. */
import { Context } from '@temporalio/activity';

/**
 * Beats at every quarter of the activity's heartbeat timeout, which is set where it is called (workflows/calls.ts). So an
 * activity that was scheduled before this timeout was changed keeps to its own. No timeout (undefined or 0): no beats.
 * @param work may beat at other times too, to hear at once whether it was cancelled
 */
export async function withHeartbeat<T>(
  work: (signal: AbortSignal, beat: () => void) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const beat = (): void => {
    context.heartbeat();
  };
  const { heartbeatTimeoutMs = 0 } = context.info;
  if (heartbeatTimeoutMs === 0) return work(context.cancellationSignal, beat);
  const timer = setInterval(beat, heartbeatTimeoutMs / 4);
  try {
    return await work(context.cancellationSignal, beat);
  } finally {
    clearInterval(timer);
  }
}

/** A call of an activity that is called again and again ends after so many milliseconds, so that people see new figures. */
const callMs = 15_000;

/** Whether a call goes on, to be asked after each step. */
export function forAWhile(signal: AbortSignal): () => boolean {
  const end = performance.now() + callMs;
  return () => performance.now() < end && !signal.aborted;
}
