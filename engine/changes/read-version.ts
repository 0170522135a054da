/** Reads the stored body of a version, as the page was read when it was fetched. */
import { isDocument, readDocument } from '../../content/documents.ts';
import { createExtractor, type Extractor } from '../../content/extract.ts';
import type { Answered, ReadVersion } from '../../domain/changes/compare.ts';
import type { BodyStore } from '../../storage/archive/index.ts';
import type { StoredVersion } from '../../storage/changes/index.ts';

type Version = Pick<StoredVersion, 'status' | 'redirect_to' | 'content_hash' | 'content_type' | 'robots_tag'>;

/** @throws NotHereYet if the body lies in the folder of another machine */
export type ReadAnswer = (url: string, version: Version) => Promise<Answered>;

/** The answers that it gives come from one extractor, so that a new version of it is no change of a page. */
export function createVersionReader(blobs: Pick<BodyStore, 'get'>): ReadAnswer {
  let extractor: Promise<Extractor> | null = null;
  return async (url, version) => {
    const { status, redirect_to: redirectTo, content_hash: bodyHash } = version;
    const body = bodyHash === null ? null : await blobs.get(Buffer.from(bodyHash, 'hex'));
    if (body === null) return { status, redirectTo, bodyHash, read: null };
    extractor ??= createExtractor();
    return { status, redirectTo, bodyHash, read: await readBody(await extractor, url, version, body) };
  };
}

async function readBody(
  extractor: Extractor,
  url: string,
  { content_type: contentType, robots_tag: xRobotsTag }: Version,
  body: Uint8Array,
): Promise<ReadVersion> {
  const document = isDocument(contentType, body) ? await readDocument(body) : null;
  const { title, description, language, canonical, noindex, nofollow, meta, main } = extractor.extract({
    ...{ body, document, url, contentType, xRobotsTag },
    // What a page says to one crawler is no part of it.
    agentTokens: [],
    maxLinks: 1,
  });
  return { title, description, language, canonical, noindex, nofollow, meta, main };
}
