/** What one HTTP exchange gives back: the contract between net/ (which speaks to the web) and activities/. */

import type { FetchFault } from '../domain/fault.ts';

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
  readonly signal?: AbortSignal;
  /** Asked once, when the connection stands and the request is about to leave; false: it does not. */
  readonly maySend?: () => boolean;
}

export interface FetchResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Lower-case names; repeated fields joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded by Content-Encoding, at most `maxBodyBytes`. Empty for redirects and 304. */
  readonly body: Uint8Array;
  /** The body was longer than the limit, or ended early; what came is in `body`. */
  readonly truncated: false | 'too-large' | 'incomplete' | 'bad-encoding';
  /** Bytes that came over the wire as body. */
  readonly wireBytes: number;
  /** `performance.now()` at the head of the response: the request has reached the host by then. */
  readonly headAt: number;
  readonly endAt: number;
  readonly remoteAddress: string | null;
}

export interface FetchFailure {
  readonly kind: 'fault';
  readonly fault: FetchFault;
  /** One sentence for people: what was wrong and where. */
  readonly message: string;
  readonly endAt: number;
}

export type FetchResult = FetchResponse | FetchFailure;

/** Never throws for what the web does; redirects are answered, not followed. */
export interface Fetcher {
  fetch(request: FetchRequest): Promise<FetchResult>;
  close(): Promise<void>;
}
