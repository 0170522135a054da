/** What the archive is told of an exchange. */
import { hash as digest } from 'node:crypto';
import type { FetchRequest, FetchResponse } from '../../contracts/fetching.ts';
import { unwantedType } from '../../domain/media-filter.ts';
import type { Capture } from '../../storage/archive/index.ts';
import type { ResultRow } from '../../storage/frontier/index.ts';
import type { EarlierCopy } from '../../storage/pages/index.ts';

/** Bytes that are kept of a body that is no page's: of an error, of a host's robots.txt beyond what is parsed. */
const mostAlone = 512 * 1024;

/**
 * What is kept of an answer: with its body, with the body that it says has not changed, or, where it is final and brought
 * no page, with what came with it. Null: nothing is, since the URL is asked for again.
 *
 * @param copy the body that was asked about
 */
export function kept(
  request: FetchRequest,
  response: FetchResponse,
  bodyHash: Uint8Array | null,
  { state, reason }: Pick<ResultRow, 'state' | 'reason'>,
  copy: EarlierCopy | null,
): Capture | null {
  if (bodyHash !== null) return captureOf(request, response, bodyHash);
  if (reason === 'not-modified' && copy !== null)
    return {
      ...captureOf(request, response, copy.content_hash),
      body: new Uint8Array(),
      unchangedSince: copy.fetched_at,
    };
  return state === 'queued' ? null : aloneOf(request, response, reason !== unwantedType);
}

/**
 * An answer that no page is read from: the record alone has its body, up to a bound.
 *
 * @param isWanted false: its body was not waited for
 */
export function aloneOf(request: FetchRequest, response: FetchResponse, isWanted = true): Capture {
  const { status, headers, wireBytes } = response;
  const body = response.body.subarray(0, mostAlone);
  const leadsOn = status >= 300 && status < 400 && headers['location'] !== undefined;
  const isUnread = (leadsOn || !isWanted) && (wireBytes > 0 || Number(headers['content-length'] ?? 0) > 0);
  const truncated =
    body.length < response.body.length ? 'too-large' : isUnread ? 'unread' : response.truncated;
  return {
    ...captureOf(request, { ...response, body }, digest('sha256', body, 'buffer')),
    truncated,
    alone: true,
  };
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
