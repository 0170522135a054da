/** Where the time of crawls goes. */
export { openWaits } from './open-waits.ts';
export { closeTimes, notingTimes, noteTimes, timesOfCrawl, type NotedTime } from './times.sql.ts';
