/**
 * The guard in front of Temporal Web. Temporal Web answers to any Host and asks nobody who they are, so any page in a
 * browser on this machine could, by DNS rebinding, read every crawl and terminate it. The guard lets a request through
 * if it names this server and comes from no other site's page (domain/own-host.ts), and, where signing in is asked for,
 * with a key of an admin of the instance. It speaks plain HTTP/1.1; Temporal Web uses no WebSockets.
 */
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { isOwnHost, isOwnOrigin, namedHosts, ownNames } from '../domain/own-host.ts';
import type { SignIn } from './sign-in.ts';

interface Place {
  readonly host: string;
  readonly port: number;
}

export interface WebGuardPlan {
  readonly listen: Place;
  /** Temporal Web. */
  readonly web: Place;
  /** Host names besides addresses and localhost. */
  readonly names: readonly string[];
  /** Null: whoever reaches the port may use it. */
  readonly signIn: SignIn | null;
}

export interface WebGuard {
  /** Breaks off the requests that are under way. */
  readonly close: () => Promise<void>;
}

/** Milliseconds for which Temporal Web may say nothing: it holds questions for new events for some twenty seconds. */
const silentMs = 90_000;

/** Fields of one connection (RFC 9110, section 7.6.1), and what is meant for the guard alone. */
const ownFields =
  /^(connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|host|authorization)$/i;

/** @throws where the port is taken */
export async function startWebGuard({ listen, web, names, signIn }: WebGuardPlan): Promise<WebGuard> {
  const ours = ownNames(names);
  const server = createServer((request, response) => {
    void admit(request)
      .then(async (refusal) => {
        if (refusal === null) await forward(request, response, web);
        else refuse(request, response, refusal);
      })
      .catch(() => {
        refuse(request, response, { status: 502, text: 'Temporal Web does not answer.' });
      });
  });
  const admit = async (request: IncomingMessage): Promise<Refusal | null> => {
    const [host, ...others] = namedHosts(request.rawHeaders, request.url ?? '');
    if (host === undefined || others.length > 0) return { status: 400, text: 'Send one Host field.' };
    if (!isOwnHost(host, ours))
      return {
        status: 421,
        text: 'Temporal Web does not answer for this host name; ORBWEAVER_API_NAMES lists the names for which it answers.',
      };
    // Reading too: Temporal Web may let any page read.
    if (!isOwnOrigin(request.headers.origin, host))
      return { status: 403, text: 'A web page of another site may not use Temporal Web.' };
    switch ((await signIn?.(request.headers.authorization)) ?? 'in') {
      case 'in':
        return null;
      case 'out':
        return {
          status: 401,
          text: 'Sign in with any name, and the API key of an admin of the instance as password.',
          fields: { 'WWW-Authenticate': 'Basic realm="Temporal Web", charset="UTF-8"' },
        };
      case 'unknown':
        return {
          status: 503,
          text: 'The API does not answer, so keys cannot be checked now. Try again soon.',
        };
    }
  };
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(listen, listening);
  });
  return {
    close: () =>
      new Promise((closed) => {
        server.close(() => {
          closed();
        });
        server.closeAllConnections();
      }),
  };
}

interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly fields?: Readonly<Record<string, string>>;
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, text, fields = {} }: Refusal,
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  // What is left of the body is not read: the connection ends with the answer.
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close', ...fields });
  response.end(request.method === 'HEAD' ? undefined : `${text}\n`);
}

/** Rejects if Temporal Web does not answer, or breaks off. */
async function forward(request: IncomingMessage, response: ServerResponse, web: Place): Promise<void> {
  const headers = request.rawHeaders.flatMap((name, at) =>
    at % 2 === 1 || ownFields.test(name) ? [] : [name, request.rawHeaders[at + 1] ?? ''],
  );
  const { method, url: path } = request;
  const chunked = request.headers['transfer-encoding'] === undefined ? [] : ['Transfer-Encoding', 'chunked'];
  const sent = ask({
    ...web,
    method,
    path,
    headers: [...headers, ...chunked, 'Host', `${web.host}:${String(web.port)}`],
    timeout: silentMs,
  });
  sent.once('timeout', () => sent.destroy(new Error('Temporal Web was silent')));
  response.once('close', () => sent.destroy());
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
  });
  const [answered] = await Promise.all([answer, pipeline(request, sent)]);
  const kept = answered.rawHeaders.flatMap((name, at) =>
    at % 2 === 1 || /^(connection|keep-alive|transfer-encoding)$/i.test(name)
      ? []
      : [name, answered.rawHeaders[at + 1] ?? ''],
  );
  response.writeHead(answered.statusCode ?? 502, kept);
  await pipeline(answered, response);
}
