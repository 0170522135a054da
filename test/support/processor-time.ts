/**
 * What a piece of work costs this process, in milliseconds of processor time: a clock would also count the time that
 * other processes took meanwhile.
 */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
