/** Tells Temporal that an activity is alive: each beat is a call of the server that also says whether to cancel. */
import { Context } from '@temporalio/activity';

/** A killed worker is noticed within seconds. */
const everyMs = 2_000;
/**
 * For visits: there may be thousands under way, and another rule notices that their worker is gone
 * (storage/feeding/rest.sql.ts, `lostVisits`).
 */
export const seldomMs = 120_000;

export async function withHeartbeat<T>(
  work: (signal: AbortSignal) => Promise<T>,
  beatMs = everyMs,
): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => {
    context.heartbeat();
  }, beatMs);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
