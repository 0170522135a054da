/**
 * JSON bodies, read strictly (RFC 8259 section 8.1, RFC 7493): only UTF-8, each name once, limited depth. A body that
 * two readers could read differently is refused.
 */
import { raw, type Request, type RequestHandler } from 'express';
import { maxRequestBytes } from '../../contracts/http/shared.ts';
import { jsonFault } from '../../domain/json-faults.ts';
import { HttpProblem } from './problem.ts';

/**
 * Bytes and milliseconds for which a body that is too large is still read before it is refused: a client that is still
 * sending would not read an answer.
 */
const drainBytes = 2 * maxRequestBytes;
const drainMs = 2_000;
/** Milliseconds for the whole body. */
const longestMs = 120_000;

/** Bodies of other types are left unread. If the request has no body, there is no `request.body`. */
export function jsonBody(): RequestHandler[] {
  const read: RequestHandler = raw({ limit: maxRequestBytes, type: 'application/json' });
  const readInTime: RequestHandler = (request, response, next) => {
    if (typeof request.is('application/json') !== 'string') {
      next();
      return;
    }
    let isRefused = false;
    const refuse = (status: number, detail: string): void => {
      isRefused = true;
      stopWatching();
      clearTimeout(late);
      response.set('Connection', 'close');
      next(new HttpProblem(status, detail));
    };
    const stopWatching = watchSize(request, () => {
      refuse(413, `The body is larger than ${String(maxRequestBytes)} bytes.`);
    });
    const late = setTimeout(() => {
      refuse(408, `The body did not arrive within ${String(longestMs / 1_000)} seconds.`);
    }, longestMs);
    read(request, response, (error?: unknown) => {
      stopWatching();
      clearTimeout(late);
      // The reader ends only when the body ends, which may be after the refusal.
      if (!isRefused) next(error);
    });
  };
  const parse: RequestHandler = (request, _response, next) => {
    if (Buffer.isBuffer(request.body)) request.body = parsed(request, request.body);
    next();
  };
  return [readInTime, parse];
}

/**
 * Calls `refuse` if a body is too large: soon after its limit, or when much more has come. Returns a function that
 * stops watching.
 */
function watchSize(request: Request, refuse: () => void): () => void {
  let received = 0;
  let timer: NodeJS.Timeout | null = null;
  const stop = (): void => {
    request.off('data', count);
    if (timer !== null) clearTimeout(timer);
  };
  const judge = (bytes: number): void => {
    if (bytes > maxRequestBytes) timer ??= setTimeout(end, drainMs);
    if (received > maxRequestBytes + drainBytes) end();
  };
  const count = (chunk: Buffer): void => {
    received += chunk.length;
    judge(received);
  };
  const end = (): void => {
    stop();
    refuse();
  };
  request.on('data', count);
  judge(Number(request.headers['content-length'] ?? 0));
  return stop;
}

/**
 * Texts with a number that a JavaScript number may not hold. Other texts may match too, which only makes reading them
 * slower.
 */
const longInteger = /\d{16}/;

/** A whole number beyond 53 bits becomes a BigInt: as a JavaScript number it would be another number. */
const exactly = (_name: string, value: unknown, { source }: { readonly source: string }): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    ? BigInt(source)
    : value;

/** TypeScript does not know the source text that JSON.parse passes on since ECMAScript 2025. */
const parseExactly = JSON.parse as (text: string, reviver: typeof exactly) => unknown;

function parsed(request: Request, bytes: Buffer): unknown {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new HttpProblem(415, 'The charset of the body is not supported: JSON must be UTF-8.');
  const text = decoded(bytes);
  // Many programs send an empty body when they have nothing to say.
  if (text === '') return {};
  const fault = jsonFault(text);
  if (fault !== null) throw new HttpProblem(400, fault);
  try {
    return longInteger.test(text) ? parseExactly(text, exactly) : (JSON.parse(text) as unknown);
  } catch (error) {
    const why = error instanceof Error ? ` ${error.message.slice(0, 200)}.` : '';
    throw new HttpProblem(400, `The body is not valid JSON.${why}`);
  }
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HttpProblem(400, 'The body is not valid UTF-8.');
  }
}
