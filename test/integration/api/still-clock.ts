/** The clock by which the API counts requests in windows, and keeps what it has looked up. */
import { onTestFinished, vi } from 'vitest';

/**
 * `performance.now()` stands still until the test is over, or the returned function is called: all that comes meanwhile
 * comes within one window, however busy the machine is.
 */
export function stopClock(): () => void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const goOn = (): void => {
    clock.mockRestore();
  };
  onTestFinished(goOn);
  return goOn;
}
