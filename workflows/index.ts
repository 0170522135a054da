/** The workflow types, exported under the names that histories have. */
export { host } from './host.ts';
export { scheduler } from './scheduler.ts';
export { crawl } from './crawl.ts';
export { job } from './job.ts';
