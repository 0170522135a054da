/** What the archive is told of an exchange. */
import type { FetchRequest, FetchResponse } from '../../contracts/fetching.ts';
import type { Capture } from '../../storage/archive/index.ts';
import type { EarlierCopy } from '../../storage/pages/index.ts';

/**
 * What is kept of an answer: with its body, or with the body that it says has not changed. Null: nothing is.
 *
 * @param copy the body that was asked about
 */
export function kept(
  request: FetchRequest,
  response: FetchResponse,
  bodyHash: Uint8Array | null,
  reason: string | null,
  copy: EarlierCopy | null,
): Capture | null {
  if (bodyHash !== null) return captureOf(request, response, bodyHash);
  if (reason !== 'not-modified' || copy === null) return null;
  const capture = captureOf(request, response, copy.content_hash);
  return { ...capture, body: new Uint8Array(), unchangedSince: copy.fetched_at };
}

/**
 * The crawl's own request fields are left out: they may be secrets, and an archive is handed on.
 *
 * @param hash SHA-256 of the body
 */
function captureOf(
  { url, userAgent, etag, lastModified }: FetchRequest,
  { status, headers, body, truncated, remoteAddress }: FetchResponse,
  hash: Uint8Array,
): Capture {
  const asked = {
    'user-agent': userAgent,
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
  return { hash, url, at: new Date(), remoteAddress, asked, status, headers, body, truncated };
}
