import { DefaultLogger, IllegalStateError, Runtime, type RuntimeOptions } from '@temporalio/worker';

/**
 * Temporal's runtime of this process logs errors and nothing else. Test files share a process, which has one runtime:
 * the options of the first file that asks hold.
 */
export function quietRuntime(options: RuntimeOptions = {}): void {
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR'), ...options });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
