/** Text that repeats over the pages of a host, for crawls that leave it out. */
export { countBlocks, findBlocks, repeatedReader, type KnownBlocks } from './boilerplate.ts';
export { repeatedBlocks } from './boilerplate.sql.ts';
