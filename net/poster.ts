/**
 * Sends a message to a receiver that a stranger named: one POST a call, on a connection of its own, to permitted
 * addresses only (connector.ts). A redirect is an answer like any other.
 */
import { Client } from 'undici';
import type { Poster, PostResult } from '../contracts/posting.ts';
import { parseCidrs } from './address-guard.ts';
import { createConnector } from './connector.ts';
import { exchangeFault, NetFault } from './net-fault.ts';
import { fieldValues } from './fields.ts';
import type { OwnServices } from './own-services.ts';
import { ResolverFault, systemResolver, type Resolver } from './resolver.ts';

export interface PosterOptions {
  readonly resolver?: Resolver;
  /** What is never reached, whatever is allowed; absent: nothing. */
  readonly own?: OwnServices;
  /** CIDR blocks of private or special addresses that may be reached. @throws RangeError for an entry that is not a CIDR block */
  readonly allowPrivate: readonly string[];
  readonly userAgent: string;
  /** PEM certificates trusted instead of the bundled authorities. */
  readonly ca?: string;
}

const connectTimeoutMs = 10_000;
const maxHeaderBytes = 64 * 1024;
/** Bytes of an answer that are read at most, so that a receiver that sends a short body sees no broken connection. */
const maxAnswerBytes = 64 * 1024;

export function createPoster(options: PosterOptions): Poster {
  const connector = createConnector({
    allowed: parseCidrs(options.allowPrivate),
    ...(options.own !== undefined && { own: options.own }),
    resolver: options.resolver ?? systemResolver,
    connectTimeoutMs,
    ...(options.ca !== undefined && { ca: options.ca }),
    http2: false,
    maxHeaderBytes,
  });

  return async ({ url, headers, body, timeoutMs }): Promise<PostResult> => {
    const { origin, host, port, protocol, pathname, search } = new URL(url);
    const where = port === '' ? `${host}:${protocol === 'https:' ? '443' : '80'}` : host;
    const client = new Client(origin, {
      connect: connector.connect,
      pipelining: 1,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const late = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await client.request({
        method: 'POST',
        path: pathname + search,
        headers: { ...headers, 'user-agent': options.userAgent, 'content-type': 'application/json' },
        body,
        reset: true,
        signal: late,
      });
      await readSome(answer.body);
      return { kind: 'response', status: answer.statusCode, headers: fieldValues(answer.headers) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const faulty = late.aborted
        ? new NetFault('timeout', `${where} did not answer within ${String(timeoutMs)} ms.`, error)
        : exchangeFault(error, where, false, maxHeaderBytes);
      if (!(faulty instanceof NetFault)) throw faulty;
      return { kind: 'fault', message: sentenceFor(faulty, where), isOurs: isOurs(faulty) };
    } finally {
      await client.destroy();
    }
  };
}

/** Reads the body only to end the exchange well: the status has said what matters. */
async function readSome(body: AsyncIterable<Buffer>): Promise<void> {
  let read = 0;
  try {
    for await (const chunk of body) {
      read += chunk.length;
      if (read >= maxAnswerBytes) return;
    }
  } catch {
    // Broken off or too slow.
  }
}

/** Where a name leads to inside our network is nobody's business. */
const sentenceFor = ({ fault, message }: NetFault, where: string): string =>
  fault === 'address-refused'
    ? `${where} is at a private or special address, where webhooks do not go.`
    : message;

/** No DNS resolver of ours answers anything. */
const isOurs = ({ cause }: NetFault): boolean => cause instanceof ResolverFault && cause.silent;
