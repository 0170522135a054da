/** Reads the stored body of a version, as the page was read when it was fetched. */
import { isDocument, readDocument } from '../../content/documents.ts';
import { createExtractor, type Extractor } from '../../content/extract.ts';
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

/** The answers that it gives come from one extractor, so that a new version of it is no change of a page. */
export function createVersionReader(blobs: Pick<BodyStore, 'get'>): ReadAnswer {
  let extractor: Promise<Extractor> | null = null;
  return async (url, version, rules) => {
    const { status, redirect_to: redirectTo, content_hash: bodyHash } = version;
    const body = bodyHash === null ? null : await blobs.get(Buffer.from(bodyHash, 'hex'));
    if (body === null) return { status, redirectTo, bodyHash, read: null };
    extractor ??= createExtractor();
    return { status, redirectTo, bodyHash, read: await readBody(await extractor, url, version, body, rules) };
  };
}

async function readBody(
  extractor: Extractor,
  url: string,
  { content_type: contentType, robots_tag: xRobotsTag }: Version,
  body: Uint8Array,
  rules: PageRules | null,
): Promise<ReadVersion> {
  const document = isDocument(contentType, body) ? await readDocument(body) : null;
  const ruled = document === null && needTree(rules) ? await applyRules(body, contentType, url, rules) : null;
  const { title, description, language, canonical, noindex, nofollow, meta, main } = extractor.extract({
    ...{ body, document, ruled, url, contentType, xRobotsTag },
    // What a page says to one crawler is no part of it.
    agentTokens: [],
    maxLinks: 1,
  });
  const fields = ruled === null ? {} : ruled.fields;
  return { title, description, language, canonical, noindex, nofollow, meta, main, fields };
}
