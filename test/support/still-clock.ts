import { onTestFinished, vi } from 'vitest';

/**
 * `performance.now()` of this process stands still until the test is over, or the returned function is called: whatever
 * comes meanwhile comes at one moment, however busy the machine is.
 */
export function stillClock(): () => void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const goOn = (): void => {
    clock.mockRestore();
  };
  onTestFinished(goOn);
  return goOn;
}
