/**
 * The HTTP/2 stream of a request that undici has sent. undici hands out neither the stream nor two things that only the
 * stream knows: the fields as they came, repeats apart, and whether a body that ended was cut off by a reset. Node
 * announces each stream as it is made, which is between undici's start of a request and its being sent, all in one turn
 * of the event loop: so the newest stream at that moment is the request's own.
 *
 * If Node does not announce streams (before 24.2 and 22.17), none is found, and repeated fields stay joined.
 */
import { subscribe } from 'node:diagnostics_channel';
import { constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { linesOfPairs, type FieldLines } from './fields.ts';

let newest: ClientHttp2Stream | null = null;

subscribe('http2.client.stream.created', (message) => {
  newest = (message as { stream: ClientHttp2Stream }).stream;
});

/** Code of the GOAWAY that ended a session; one listener a session, however many streams it carries. */
const goaways = new WeakMap<ClientHttp2Session, { code: number | null }>();

function goawayOf(session: ClientHttp2Session): { readonly code: number | null } {
  const known = goaways.get(session);
  if (known !== undefined) return known;
  const goaway: { code: number | null } = { code: null };
  session.once('goaway', (code: number) => {
    goaway.code = code;
  });
  goaways.set(session, goaway);
  return goaway;
}

/** A client's stream has a client's session, until it is destroyed. */
const sessionOf = (stream: ClientHttp2Stream): ClientHttp2Session | undefined =>
  stream.session as ClientHttp2Session | undefined;

/** To be called at the start of a request: what was made before is not its stream. */
export function forgetNewStream(): void {
  newest = null;
}

export class H2Stream {
  readonly #stream: ClientHttp2Stream;
  readonly #goaway: { readonly code: number | null };
  #lines: FieldLines | null = null;

  /** The stream made since `forgetNewStream`, or null where none was (HTTP/1.1). */
  static take(): H2Stream | null {
    const stream = newest;
    newest = null;
    return stream === null ? null : new H2Stream(stream);
  }

  private constructor(stream: ClientHttp2Stream) {
    this.#stream = stream;
    const session = sessionOf(stream);
    this.#goaway = session === undefined ? { code: null } : goawayOf(session);
    // Before undici's own listener, which is when the fields are asked for.
    stream.prependOnceListener('response', (_headers, _flags, raw?: readonly string[]) => {
      if (raw !== undefined) this.#lines = linesOfPairs(raw);
    });
  }

  /** Fields of the final response with repeats apart; null before it has come. */
  get lines(): FieldLines | null {
    return this.#lines;
  }

  /** The server reset the stream. Node reports a reset by CANCEL as the end of the body, and undici believes it. */
  get wasReset(): boolean {
    return this.#stream.rstCode !== constants.NGHTTP2_NO_ERROR;
  }
  /** The server will answer this by HTTP/1.1 only (RFC 9113 section 7). */
  get wantsHttp1(): boolean {
    return this.#endedBy(constants.NGHTTP2_HTTP_1_1_REQUIRED);
  }

  /** The server complains of load. */
  get wantsCalm(): boolean {
    return this.#endedBy(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  #endedBy(code: number): boolean {
    return this.#stream.rstCode === code || this.#goaway.code === code;
  }
}
