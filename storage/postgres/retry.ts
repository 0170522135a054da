/**
 * Which Postgres errors pass by themselves (SQLSTATE, PostgreSQL manual appendix A), and how often to try again. Each
 * of these errors leaves the transaction rolled back, so that running it again is safe.
 */
interface RetryRule {
  readonly attempts: number;
  readonly delayMs: number;
}

const rules: Readonly<Record<string, RetryRule>> = {
  '40001': { attempts: 10, delayMs: 5 }, // serialization_failure
  '40P01': { attempts: 10, delayMs: 5 }, // deadlock_detected
  '55P03': { attempts: 5, delayMs: 50 }, // lock_not_available
};

const sqlState = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Runs `work` again, after a growing and scattered delay, as long as the retry table says so; otherwise rethrows. */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const rule = rules[sqlState(error) ?? ''];
      if (rule === undefined || attempt >= rule.attempts) throw error;
      await new Promise((wake) => setTimeout(wake, rule.delayMs * attempt * (0.5 + Math.random())));
    }
  }
}

/** Messages of the driver, which carry no code, when its connection is gone or it can get none. */
const driverOutages = [
  'Connection terminated',
  'Client has encountered a connection error',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client was closed',
];

/**
 * Connection lost, server starting or stopping, out of connections, disk full, a standby that takes no writes (25006),
 * a transaction that was taken back because this process had stood still (25P03), a login or database that does not
 * exist (28, 3D): these faults are our own, and no URL is to blame.
 */
export function isStorageOutage(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) {
    return error instanceof Error && driverOutages.some((words) => error.message.startsWith(words));
  }
  return (
    /^(08|25006|25P03|28|3D|53|57P|58|XX)/.test(state) ||
    /^(ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH)/.test(state)
  );
}
