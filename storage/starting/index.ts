/** How a crawl is made, with its seeds and within the quotas of its tenant; the default crawl of a tenant. */
export { admitCrawl } from './crawl-admission.ts';
export { createCrawl, failUnstarted } from './create-crawl.ts';
export { findDefaultCrawl, provideDefaultCrawl, findUrl, type UrlStatus } from './default-crawl.ts';
export { provideResting, type Provided } from './resting-crawl.ts';
export type { RestingCrawl } from './starting.sql.ts';
