/**
 * Reads the texts of a stored body, and its links and images, to show a page. They are not stored: few ask for them, and
 * reading them is quick.
 */
import { isDocument, readDocument } from '../content/documents.ts';
import { BeyondBudget } from '../content/aside.ts';
import { readShown, type ShownPage } from '../content/extract.ts';
import { applyRules } from '../content/rules.ts';
import type { PageRules } from '../contracts/page-rules.ts';
import type { BodyStore } from '../storage/archive/index.ts';
import type { TextReader } from '../storage/pages/index.ts';

/** @param shown reads the body; a process that has others to answer meanwhile has it read aside (content/aside.ts) */
export function createTextReader(
  blobs: Pick<BodyStore, 'get'>,
  shown: (...body: Parameters<typeof readShown>) => ShownPage | Promise<ShownPage> = readShown,
): TextReader {
  return async (contentHash, contentType, url, rules, repeated) => {
    const body = await blobs.get(Buffer.from(contentHash, 'hex'));
    if (body === null) return null;
    const document = isDocument(contentType, body) ? await readDocument(body) : null;
    const ruled =
      document === null && keepParts(rules) ? await applyRules(body, contentType, url, rules) : null;
    try {
      return await shown(body, contentType, url, document, ruled, repeated);
    } catch (error) {
      if (!(error instanceof BeyondBudget)) throw error;
      return { ...nothingShown, cut: { textUnread: 1 } };
    }
  };
}

const nothingShown: ShownPage = { text: '', main: '', repeated: null, anchors: [], images: [], versions: [] };

/** Fields are stored; texts depend on what the rules keep. */
const keepParts = (rules: PageRules | null): rules is PageRules =>
  rules !== null && rules.include.length + rules.exclude.length > 0;
