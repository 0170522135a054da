/** Tells Temporal that an activity is alive: each beat is a call of the server that also says whether to cancel. */
import { Context } from '@temporalio/activity';

/**
 * Beats four times in the time that may pass between two beats, which is set where the activity is called
 * (workflows/calls.ts). So an activity that was scheduled before this time was changed keeps to its own.
 */
export async function withHeartbeat<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const { heartbeatTimeoutMs } = context.info;
  if (heartbeatTimeoutMs === undefined) return work(context.cancellationSignal);
  const timer = setInterval(() => {
    context.heartbeat();
  }, heartbeatTimeoutMs / 4);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
