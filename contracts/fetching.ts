/** What one HTTP exchange gives back: the contract between net/ (which speaks to the web) and activities/. */

import type { FetchFault } from '../domain/fault.ts';
import type { RequestHeaders } from '../domain/request-headers.ts';

export type { FetchFault } from '../domain/fault.ts';

export interface FetchLimits {
  /** Bytes of body kept at most, after decompression. More: `truncated` is set and the connection is dropped. */
  readonly maxBodyBytes: number;
  /** Milliseconds for the whole exchange, connect to last byte. */
  readonly totalTimeoutMs: number;
}

export interface FetchRequest {
  /** Absolute http(s) URL, sent as is (the fragment is dropped). */
  readonly url: string;
  readonly userAgent: string;
  /** CIDR blocks of private or special addresses that may be reached. */
  readonly allowPrivate: readonly string[];
  readonly limits: FetchLimits;
  /** Validators of an earlier copy, sent as If-None-Match and If-Modified-Since. */
  readonly etag?: string;
  readonly lastModified?: string;
  /** Sent besides; they go before what the fetcher sends by the same name. */
  readonly headers?: RequestHeaders;
  readonly signal?: AbortSignal;
  /** Requests of one host that may be in flight together have lanes of their own, from 0; absent: 0. */
  readonly lane?: number;
  /** Asked with the fields of a success; false: its body is not read. Absent: it is. */
  readonly wantsBody?: (headers: Readonly<Record<string, string>>) => boolean;
  /** Asked once, when the connection stands and the request is about to leave; false: it does not. */
  readonly maySend?: () => boolean;
}

export interface FetchResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Lower-case names; repeated fields joined by ", ", but X-Robots-Tag by line feeds (`net/fields.ts`). */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded by Content-Encoding, at most `maxBodyBytes`. Empty for redirects, 304, and what is not wanted. */
  readonly body: Uint8Array;
  /** The body was longer than the limit, or ended early; what came is in `body`. */
  readonly truncated: false | 'too-large' | 'incomplete' | 'bad-encoding';
  /** Bytes that came over the wire as body. */
  readonly wireBytes: number;
  /** `performance.now()` at the head of the response: the request has reached the host by then. */
  readonly headAt: number;
  readonly endAt: number;
  readonly remoteAddress: string | null;
  /** Milliseconds from the request's leaving to the end of the answer, where that is known. */
  readonly tookMs?: number;
  /** Call once the body is stored or dropped: it takes room that others wait for. Absent: it takes none. */
  readonly release?: () => void;
}

export interface FetchFailure {
  readonly kind: 'fault';
  readonly fault: FetchFault;
  /** One sentence for people: what was wrong and where. */
  readonly message: string;
  readonly endAt: number;
  /**
   * The request left, and the server most likely never looked at it: it was closing the connection, or turned the
   * HTTP/2 stream away. Sending it once more, at the host's pace, is right (RFC 9112 section 9.3.1, RFC 9113 section
   * 8.7); blaming the URL or the host is not.
   */
  readonly repeatable?: true;
}

export type FetchResult = FetchResponse | FetchFailure;

/** Never throws for what the web does; redirects are answered, not followed. */
export interface Fetcher {
  fetch(request: FetchRequest): Promise<FetchResult>;
  close(): Promise<void>;
}

/**
 * There was no room for a large body in this process for so long that its host was not kept waiting any longer. A
 * shortage of ours: the URL is as if it had not been asked for.
 */
export class NoRoomForBody extends Error {
  override readonly name = 'NoRoomForBody';

  /** @param where host:port */
  constructor(where: string) {
    super(`no room came free for the body that ${where} was sending; see ORBWEAVER_BODY_BUDGET_MB`);
  }
}
