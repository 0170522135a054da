/** Errors of undici, Node and OpenSSL, told as the fault a crawl reacts to and one sentence for people. */
import { ProxyDown, type FetchFault } from '../contracts/fetching.ts';

/** What the web did wrong: becomes a FetchFailure, never leaves net/. */
export class NetFault extends Error {
  readonly fault: FetchFault;
  /** The connection itself went away in the middle of an exchange. */
  readonly connectionLost: boolean;

  constructor(fault: FetchFault, message: string, cause?: unknown, connectionLost = false) {
    super(message, { cause });
    this.name = 'NetFault';
    this.fault = fault;
    this.connectionLost = connectionLost;
  }
}

/** Out of sockets, files or memory on this machine: no fault of the host, so it must not be held against it. */
const ownTroubles: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS']);

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Several addresses were tried: the first failure that says more than "no route" speaks for all. */
function tellingOf(error: Error): Error {
  if (!(error instanceof AggregateError)) return error;
  const errors = error.errors.filter((each): each is Error => each instanceof Error);
  return errors.find((each) => !unroutable.has(codeOf(each))) ?? errors[0] ?? error;
}

const unroutable: ReadonlySet<string> = new Set([
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
]);

/**
 * A failure to connect to `where` (host:port), before anything was sent: a NetFault, or the error itself where this
 * machine is to blame.
 */
export function connectFault(error: Error, where: string, phase: 'connect' | 'tls'): Error {
  const telling = tellingOf(error);
  const code = codeOf(telling);
  if (ownTroubles.has(code)) return telling;
  if (phase === 'tls') return new NetFault('tls', `TLS with ${where} failed: ${tlsReason(telling)}.`, error);
  if (code === 'ECONNREFUSED')
    return new NetFault('connect-refused', `${where} refused the connection.`, error);
  if (code === 'ETIMEDOUT')
    return new NetFault('connect-timeout', `${where} did not answer the connection.`, error);
  if (unroutable.has(code))
    return new NetFault('connect-refused', `${where} cannot be reached (${code}).`, error);
  if (code === 'ECONNRESET') return new NetFault('reset', `${where} reset the connection.`, error);
  return new NetFault('connect-refused', `Connecting to ${where} failed: ${telling.message}.`, error);
}

function tlsReason(error: Error): string {
  if (codeOf(error) === 'ECONNRESET') return 'the server broke the connection off';
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;
  // Node adds advice about its own flags to some reasons.
  return reason.replace(/;.*|\.$/, '');
}

/**
 * A failure of an exchange with `where` (host:port): a NetFault, or the error itself where this machine, or the proxy, is to blame.
 * `headSeen`: the head of the response had come.
 */
export function exchangeFault(error: Error, where: string, headSeen: boolean, maxHeaderBytes: number): Error {
  if (error instanceof NetFault || error instanceof ProxyDown) return error;
  const code = codeOf(error);
  if (ownTroubles.has(code)) return error;
  const text = error.message;
  const protocol = (what: string): NetFault => new NetFault('protocol', `${where} ${what}.`, error);
  const closed = (): NetFault =>
    new NetFault('reset', `${where} closed the connection before the response was whole.`, error, true);
  const brokenOff = (): NetFault => new NetFault('reset', `${where} broke the HTTP/2 stream off.`, error);

  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return protocol(`sent a response head of more than ${String(maxHeaderBytes)} bytes`);
  }
  // undici gives its parser's errors no code.
  if (error.name === 'HTTPParserError') {
    return text.includes('Invalid EOF state')
      ? closed()
      : protocol(`does not speak HTTP properly: ${parserReason(text)}`);
  }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return headSeen ? closed() : protocol('contradicts itself about the length of its response');
  }
  if (code === 'UND_ERR_SOCKET' && text === 'bad response') {
    return protocol('sent something other than the response that was due');
  }
  if (code === 'UND_ERR_SOCKET' && text === 'bad upgrade') {
    return protocol('switched protocols without being asked');
  }
  if (code === 'ERR_HTTP2_INVALID_SESSION' || code === 'ERR_HTTP2_GOAWAY_SESSION') return closed();
  if (code.startsWith('ERR_HTTP2') && givenUp.test(text)) return brokenOff();
  if (code.startsWith('ERR_HTTP2')) return protocol(`does not speak HTTP/2 properly: ${text}`);
  // HTTP/2 streams that end before their response.
  if (code === 'UND_ERR_INFO') return brokenOff();
  // What undici's reader takes for impossible: a status of 000, for one.
  if (code === 'ERR_ASSERTION') return protocol('does not speak HTTP properly: a head that cannot be');
  if (code.startsWith('ERR_SSL'))
    return new NetFault('tls', `TLS with ${where} failed: ${tlsReason(error)}.`, error);
  if (closedCodes.has(code)) return closed();
  return new NetFault('protocol', `The exchange with ${where} failed: ${text}.`, error);
}

/** Codes of RST_STREAM and GOAWAY that give a request up rather than complain of us (RFC 9113 section 7). */
const givenUp =
  /error code (?:NGHTTP2_(?:NO_ERROR|INTERNAL_ERROR|REFUSED_STREAM|CANCEL|CONNECT_ERROR|ENHANCE_YOUR_CALM)|0|2|7|8|10|11)$/;

const closedCodes: ReadonlySet<string> = new Set([
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

const parserReason = (text: string): string => /\((.*)\)$/.exec(text)?.[1] ?? text;
