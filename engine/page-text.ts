/**
 * Reads the texts of a stored body, and its links and images, to show a page. They are not stored: few ask for them, and
 * reading them is quick.
 */
import { isDocument, readDocument } from '../content/documents.ts';
import { readShown } from '../content/extract.ts';
import type { BodyStore } from '../storage/archive/index.ts';
import type { TextReader } from '../storage/pages/index.ts';

export function createTextReader(blobs: Pick<BodyStore, 'get'>): TextReader {
  return async (contentHash, contentType, url) => {
    const body = await blobs.get(Buffer.from(contentHash, 'hex'));
    if (body === null) return null;
    const document = isDocument(contentType, body) ? await readDocument(body) : null;
    return readShown(body, contentType, url, document);
  };
}
