/** Which pages have a text of their own: what searches find, and what exports of texts hold. */
import type { PageView } from '../contracts/http/results.ts';

type Read = Pick<PageView, 'state' | 'words' | 'duplicateOf'>;

/** The crawl has the page and has read it. A page that is held as one that is not there (soft 404) was read, and is excluded. */
export const wasRead = ({ state, words }: Read): boolean => state === 'done' && words !== null;

/** And is no copy of another. Its title may be all that it says. */
export const isOriginal = (page: Read): boolean => wasRead(page) && page.duplicateOf === null;

/** And has words. */
export const hasOwnText = (page: Read): boolean => isOriginal(page) && page.words !== 0;
