/** What the archive is told of an exchange. */
import type { FetchRequest, FetchResponse } from '../../contracts/fetching.ts';
import type { Capture } from '../../storage/archive/index.ts';

/**
 * The crawl's own request fields are left out: they may be secrets, and an archive is handed on.
 *
 * @param hash SHA-256 of the body
 */
export function captureOf(
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
