/** Reads the text of a stored body to show a page. Text is not stored: few ask for it, and reading it is quick. */
import { readText } from '../content/extract.ts';
import type { BodyStore } from '../storage/archive/index.ts';
import type { TextReader } from '../storage/pages/index.ts';

export function createTextReader(blobs: Pick<BodyStore, 'get'>): TextReader {
  return async (contentHash, contentType) => {
    const body = await blobs.get(Buffer.from(contentHash, 'hex'));
    return body === null ? null : readText(body, contentType);
  };
}
