/** Tells Temporal every two seconds that the activity is alive, so that a killed worker is noticed within seconds. */
import { Context } from '@temporalio/activity';

const everyMs = 2_000;

/** @param note text that Temporal Web shows beside the activity; undefined: none */
export async function withHeartbeat<T>(
  work: (signal: AbortSignal) => Promise<T>,
  note: () => string | undefined = () => undefined,
): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => {
    context.heartbeat(note());
  }, everyMs);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
