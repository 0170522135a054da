/** The workflow types, exported under the names that histories have. */
export { host } from './host.ts';
export { scheduler } from './scheduler.ts';
export { crawl } from './crawl.ts';
export { edit } from './edit.ts';
export { exporting } from './exporting.ts';
export { recrawl } from './recrawl.ts';
export { redrive } from './redrive.ts';
export { reextracting } from './reextracting.ts';
export { search } from './search.ts';
export { webhook } from './webhook.ts';
