/** Reads the stored body of a version, as the page was read when it was fetched. */
import { isDocument, readDocument } from '../../content/documents.ts';
import { createExtractor } from '../../content/extract.ts';
import type { Extracted, ExtractInput } from '../../contracts/extraction.ts';
import { applyRules } from '../../content/rules.ts';
import { needTree, type PageRules } from '../../contracts/page-rules.ts';
import type { Answered, ReadVersion } from '../../domain/changes/compare.ts';
import type { BodyStore } from '../../storage/archive/index.ts';
import type { StoredVersion } from '../../storage/changes/index.ts';

type Version = Pick<StoredVersion, 'status' | 'redirect_to' | 'content_hash' | 'content_type' | 'robots_tag'>;

/**
 * @param rules of the crawl that asks, as they are now: an edit of them is no change of a page
 * @throws NotHereYet if the body lies in the folder of another machine
 */
export type ReadAnswer = (url: string, version: Version, rules: PageRules | null) => Promise<Answered>;

type Extract = (body: Uint8Array, input: Omit<ExtractInput, 'body'>) => Promise<Extracted>;

/** Loaded for the first version that is read. */
function ownExtractor(): Extract {
  let extractor: ReturnType<typeof createExtractor> | null = null;
  return async (body, input) => {
    extractor ??= createExtractor();
    return (await extractor).extract({ ...input, body });
  };
}

/**
 * The answers that it gives come from one extractor, so that a new version of it is no change of a page.
 * @param extract reads the body; a process that has others to answer meanwhile has it read aside (content/aside.ts)
 */
export function createVersionReader(
  blobs: Pick<BodyStore, 'get'>,
  extract: Extract = ownExtractor(),
): ReadAnswer {
  return async (url, version, rules) => {
    const { status, redirect_to: redirectTo, content_hash: bodyHash } = version;
    const body = bodyHash === null ? null : await blobs.get(Buffer.from(bodyHash, 'hex'));
    if (body === null) return { status, redirectTo, bodyHash, read: null };
    return { status, redirectTo, bodyHash, read: await readBody(extract, url, version, body, rules) };
  };
}

async function readBody(
  extract: Extract,
  url: string,
  { content_type: contentType, robots_tag: xRobotsTag }: Version,
  body: Uint8Array,
  rules: PageRules | null,
): Promise<ReadVersion> {
  const document = isDocument(contentType, body) ? await readDocument(body) : null;
  const ruled = document === null && needTree(rules) ? await applyRules(body, contentType, url, rules) : null;
  const { title, description, language, canonical, noindex, nofollow, meta, main } = await extract(body, {
    document,
    ruled,
    url,
    contentType,
    xRobotsTag,
    // What a page says to one crawler is no part of it.
    agentTokens: [],
    maxLinks: 1,
  });
  const fields = ruled === null ? {} : ruled.fields;
  return { title, description, language, canonical, noindex, nofollow, meta, main, fields };
}
