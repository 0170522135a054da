/** The workflow types, by name as they stand in histories. */
export { host } from './host.ts';
export { scheduler } from './scheduler.ts';
export { crawl } from './crawl.ts';
export { edit } from './edit.ts';
export { redrive } from './redrive.ts';
export { webhook } from './webhook.ts';
