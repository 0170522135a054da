/**
 * Reads the texts of a stored body, and its links and images, to show a page. They are not stored: few ask for them, and
 * reading them is quick.
 */
import { isDocument, readDocument } from '../content/documents.ts';
import { readShown } from '../content/extract.ts';
import { applyRules } from '../content/rules.ts';
import type { PageRules } from '../contracts/page-rules.ts';
import type { BodyStore } from '../storage/archive/index.ts';
import type { TextReader } from '../storage/pages/index.ts';

export function createTextReader(blobs: Pick<BodyStore, 'get'>): TextReader {
  return async (contentHash, contentType, url, rules, repeated) => {
    const body = await blobs.get(Buffer.from(contentHash, 'hex'));
    if (body === null) return null;
    const document = isDocument(contentType, body) ? await readDocument(body) : null;
    const ruled =
      document === null && keepParts(rules) ? await applyRules(body, contentType, url, rules) : null;
    return readShown(body, contentType, url, document, ruled, repeated);
  };
}

/** Fields are stored; texts depend on what the rules keep. */
const keepParts = (rules: PageRules | null): rules is PageRules =>
  rules !== null && rules.include.length + rules.exclude.length > 0;
