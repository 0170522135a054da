/** Tells Temporal every two seconds that the activity lives, so that a killed worker is noticed within seconds. */
import { Context } from '@temporalio/activity';

const everyMs = 2_000;

/** @param note what Temporal Web shows of the activity meanwhile, if anything */
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
