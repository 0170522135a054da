/** The server under the application. It also refuses with a problem document what never becomes a request. */
import {
  createServer,
  STATUS_CODES,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { problemTitleOf, problemTypeOf, usualKind, type Problem } from '../../contracts/http/problem.ts';
import { maxHeadBytes } from '../../contracts/http/shared.ts';

interface Refusal {
  readonly status: number;
  readonly detail: string;
}

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    detail: `The request line and the header fields have more than ${String(maxHeadBytes)} bytes together.`,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'The chunk extensions of the body are too large.' },
  HPE_INVALID_METHOD: { status: 400, detail: 'The request does not begin with a method of HTTP.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request did not arrive in time.' },
};
/**
 * Milliseconds a request may take to arrive: a body of millions of seeds arrives no faster than the seeds are stored.
 */
const longestRequestMs = 60 * 60_000;

const notHttp: Refusal = { status: 400, detail: 'The request could not be read as HTTP.' };

/** The application handles requests without a Host. */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer({
    maxHeaderSize: maxHeadBytes,
    requireHostHeader: false,
    requestTimeout: longestRequestMs,
  });
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, response) => {
    latest.set(request.socket, response);
    listener(request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = latest.get(socket);
    // When half of an answer is sent, no other answer may follow.
    const isAnswering = answer !== undefined && answer.headersSent && !answer.writableEnded;
    if (socket.writable && !isAnswering && error.code !== 'ECONNRESET')
      socket.end(asText(refusals[error.code ?? ''] ?? notHttp));
    else socket.destroy();
  });
  return server;
}

function asText({ status, detail }: Refusal): string {
  const kind = usualKind(status);
  const problem: Problem = { type: problemTypeOf(kind), title: problemTitleOf(kind), status, detail };
  const body = JSON.stringify(problem);
  return [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
