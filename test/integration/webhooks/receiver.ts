/** A receiver of webhooks: notes what comes, judges signatures as Standard Webhooks says, and answers as it is told. */
import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { WebhookMessage } from '../../../contracts/http/webhooks.ts';
import { httpServer } from '../../support/http-server.ts';

export interface Received {
  readonly path: string;
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  readonly message: WebhookMessage;
  readonly headers: IncomingMessage['headers'];
  readonly at: number;
}

export type Answering = (received: Received, response: ServerResponse) => void;

export interface Receiver {
  readonly url: string;
  readonly got: Received[];
  /** What it answers from now on, by path; else 204. */
  answer(path: string, how: Answering): void;
  /** Of one path, in order. */
  at(path: string): readonly Received[];
  stop(): Promise<void>;
}

export const taken: Answering = (_received, response) => {
  response.statusCode = 204;
  response.end();
};

/** Takes what comes after a while, into `got`. What its sender does not hear of, since it was killed, was not taken. */
export const slowlyTaken =
  (got: Received[], ms: number): Answering =>
  (received, response) => {
    const take = (): void => {
      if (response.destroyed) return;
      got.push(received);
      taken(received, response);
    };
    // After a look at the sockets: where this process was held up, the end of the sender is not known yet.
    setTimeout(() => setImmediate(take), ms);
  };

export const status =
  (code: number, headers: Record<string, string> = {}): Answering =>
  (_received, response) => {
    response.writeHead(code, headers).end();
  };

export async function startReceiver(): Promise<Receiver> {
  const got: Received[] = [];
  const answers = new Map<string, Answering>();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { headers, url: path = '' } = request;
    const received: Received = {
      path,
      id: String(headers['webhook-id']),
      timestamp: String(headers['webhook-timestamp']),
      signature: String(headers['webhook-signature']),
      body,
      message: JSON.parse(body) as WebhookMessage,
      headers,
      at: Date.now(),
    };
    got.push(received);
    (answers.get(path) ?? taken)(received, response);
  };
  const { origin, close } = await httpServer((request, response) => {
    // A sender that is killed ends in the middle of its request.
    receive(request, response).catch(() => response.destroy());
  });
  return {
    url: origin,
    got,
    answer: (path, how) => void answers.set(path, how),
    at: (path) => got.filter((each) => each.path === path),
    stop: close,
  };
}

/** Computed by the words of the specification, not by our code. */
export function isSigned({ id, timestamp, body, signature }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return signature.split(' ').includes(`v1,${expected}`);
}
