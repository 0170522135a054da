/**
 * When this process's `performance.now()` was 0, in milliseconds of the machine's one monotonic clock. The difference of
 * two processes' values carries an instant from the clock of one to that of the other.
 */
export const clockStart = (): number => Number(process.hrtime.bigint()) / 1e6 - performance.now();
