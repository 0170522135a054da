/** The result of one HTTP exchange: the contract between net/, which speaks to the web, and its callers. */

import type { FetchFault } from '../domain/fault.ts';
import type { RequestHeaders } from '../domain/request-headers.ts';

export type { FetchFault } from '../domain/fault.ts';

export interface FetchLimits {
  /**
   * Bytes of a body that are kept at most, after decompression. For a longer body `truncated` is set and the connection
   * is dropped.
   */
  readonly maxBodyBytes: number;
  /** True: a body whose declared length passes that clearly ends with its head. Absent: its beginning is wanted. */
  readonly onlyWhole?: true;
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
  /** Further headers; they take precedence over headers of the fetcher with the same name. */
  readonly headers?: RequestHeaders;
  readonly signal?: AbortSignal;
  /** The egress proxy by which it goes, `http:` (CONNECT) or `socks5:`, with its name and password; absent: it goes directly. */
  readonly proxy?: string;
  /** Requests to one host that may be in flight together have lanes of their own, from 0; absent: 0. */
  readonly lane?: number;
  /** Called with the header fields of a success; false: the body is not read. Absent: the body is read. */
  readonly wantsBody?: (headers: Readonly<Record<string, string>>) => boolean;
  /**
   * Called once, when the connection stands and the request is about to leave; false: the request does not leave.
   * `address` is the one that the connection leads to; null: not known.
   */
  readonly maySend?: (address: string | null) => boolean;
}

export interface FetchResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Lower-case names; repeated fields joined by ", ", but X-Robots-Tag by line feeds (`net/fields.ts`). */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Decoded by Content-Encoding, at most `maxBodyBytes`. Empty for redirects, for 304, and for bodies that are not
   * wanted.
   */
  readonly body: Uint8Array;
  /** Set if the body was longer than the limit, or ended early; `body` has the part that came. */
  readonly truncated: false | 'too-large' | 'incomplete' | 'bad-encoding';
  /** Bytes that came over the wire as body. */
  readonly wireBytes: number;
  /** `performance.now()` at the head of the response: the request has reached the host by then. */
  readonly headAt: number;
  readonly endAt: number;
  readonly remoteAddress: string | null;
  /** The answer broke the rules of HTTP and was mended (`net/answer-repair.ts`). */
  readonly mended?: true;
  /** Milliseconds from the moment the request leaves to the end of the answer; absent: not known. */
  readonly tookMs?: number;
  /**
   * The caller must call it once the body is stored or dropped: the body takes room that others wait for. Absent: it
   * takes none.
   */
  readonly release?: () => void;
}

export interface FetchFailure {
  readonly kind: 'fault';
  readonly fault: FetchFault;
  /** One sentence for people: what was wrong and where. */
  readonly message: string;
  readonly endAt: number;
  /**
   * The request left, and the server most likely never looked at it: the server was closing the connection, or turned
   * the HTTP/2 stream away. Sending the request once more, at the host's pace, is right (RFC 9112 section 9.3.1, RFC
   * 9113 section 8.7); blaming the URL or the host is not.
   */
  readonly repeatable?: true;
}

export type FetchResult = FetchResponse | FetchFailure;

/** Never throws for faults of the web. Redirects are answered, not followed. */
export interface Fetcher {
  fetch(request: FetchRequest): Promise<FetchResult>;
  /**
   * The address to which a request will most likely be sent: that of the open connection, else the one that is tried
   * first. `maySend` is told the true one. Null: not known, or there is none that may be reached.
   */
  addressOf(request: Pick<FetchRequest, 'url' | 'allowPrivate' | 'lane' | 'proxy'>): Promise<string | null>;
  close(): Promise<void>;
}

/** The egress proxy of a request does not do its part: the host has no share in that, and was not asked. */
export class ProxyDown extends Error {
  override readonly name = 'ProxyDown';

  /** What it says of the one target that it was asked for; null: nothing goes by it, whatever is asked for. */
  readonly ofTarget: 'connect-refused' | 'connect-timeout' | null;

  /** @param proxy without its name and password @param why the predicate of a sentence */
  constructor(proxy: string, why: string, ofTarget: ProxyDown['ofTarget'] = null) {
    super(`the proxy ${proxy} ${why}`);
    this.ofTarget = ofTarget;
  }
}

/**
 * There was no room for a large body in this process, and the host was not to be kept waiting any longer. The shortage
 * is ours: the URL counts as if it had not been asked for.
 */
export class NoRoomForBody extends Error {
  override readonly name = 'NoRoomForBody';

  /** @param where host:port */
  constructor(where: string) {
    super(`no memory came free for the body that ${where} was sending; see ORBWEAVER_BODY_BUDGET_MB`);
  }
}
