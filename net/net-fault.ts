/** Errors of undici, Node and OpenSSL, told as the fault a crawl reacts to and one sentence for people. */
import type { FetchFault } from '../contracts/fetching.ts';

/** What the web did wrong: becomes a FetchFailure, never leaves net/. */
export class NetFault extends Error {
  readonly fault: FetchFault;

  constructor(fault: FetchFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'NetFault';
    this.fault = fault;
  }
}

/** Out of sockets, files or memory on this machine: no fault of the host, so it must not be held against it. */
const ownTroubles: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS']);

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

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
  return new NetFault('connect-refused', `Connecting to ${where} failed: ${textOf(telling)}.`, error);
}

function tlsReason(error: Error): string {
  if (codeOf(error) === 'ECONNRESET') return 'the server broke the connection off';
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;
  return reason.replace(/\.$/, '');
}

/**
 * A failure of an exchange with `where` (host:port): a NetFault, or the error itself where this machine is to blame.
 */
export function exchangeFault(error: Error, where: string, maxHeaderBytes: number): Error {
  if (error instanceof NetFault) return error;
  const code = codeOf(error);
  if (ownTroubles.has(code)) return error;
  const text = textOf(error);
  const broken = (what: string): NetFault => new NetFault('protocol', `${where} ${what}.`, error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return broken(`sent a response head of more than ${String(maxHeaderBytes)} bytes`);
  }
  if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE')
    return broken(`does not speak HTTP properly: ${parserReason(text)}`);
  if (code === 'UND_ERR_SOCKET' && text === 'bad response') {
    return broken('sent something other than the response that was due (an unasked 100 Continue, say)');
  }
  if (code === 'UND_ERR_SOCKET' && text === 'bad upgrade')
    return broken('switched protocols without being asked');
  if (code === 'ERR_HTTP2_STREAM_ERROR' || code === 'ERR_HTTP2_SESSION_ERROR' || code === 'ERR_HTTP2_ERROR') {
    return /CANCEL|REFUSED|INTERNAL|NO_ERROR/.test(text)
      ? new NetFault('reset', `${where} broke the HTTP/2 stream off.`, error)
      : broken(`does not speak HTTP/2 properly: ${text}`);
  }
  if (code.startsWith('ERR_SSL'))
    return new NetFault('tls', `TLS with ${where} failed: ${tlsReason(error)}.`, error);
  if (closedCodes.has(code) || text.startsWith('HTTP/2:')) {
    return new NetFault('reset', `${where} closed the connection before the response was whole.`, error);
  }
  return new NetFault('protocol', `The exchange with ${where} failed: ${text}.`, error);
}

const closedCodes: ReadonlySet<string> = new Set([
  'UND_ERR_SOCKET',
  'UND_ERR_INFO',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'HPE_INVALID_EOF_STATE',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

const parserReason = (text: string): string => /\((.*)\)$/.exec(text)?.[1] ?? text;
