/** Shared by the tests of this folder: one extractor per file, and inputs with everything but the body filled in. */
import type { Extracted, ExtractInput } from '../../contracts/extraction.ts';
import { createExtractor } from '../../content/extract.ts';

const extractor = await createExtractor();

export const pageUrl = 'https://example.com/dir/page.html';

/** Extracts from a body given as text (sent as UTF-8) or bytes. */
export function extract(body: string | Uint8Array, over: Partial<ExtractInput> = {}): Extracted {
  return extractor.extract({
    body: typeof body === 'string' ? Buffer.from(body, 'utf8') : body,
    url: pageUrl,
    contentType: 'text/html; charset=utf-8',
    xRobotsTag: null,
    agentTokens: ['orbweaver'],
    maxLinks: 200,
    ...over,
  });
}
