/** What is counted by the day, in a test that runs at any time of it. */
import { until } from './until.ts';

const dayMs = 86_400_000;

/** Resolves at once, but for the last `ms` milliseconds of a day (UTC): then once the next day has begun. */
export const untilDayLasts = (ms: number): Promise<void> =>
  until(`the day lasts for ${String(ms)} ms more`, () => Date.now() % dayMs < dayMs - ms, ms + 60_000);
