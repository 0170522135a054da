/** Numbered events of crawls. */
export { readEvents, readEventsOf } from './events.ts';
