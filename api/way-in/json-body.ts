/**
 * JSON bodies, read strictly (RFC 8259 section 8.1, RFC 7493): only UTF-8, each name once, limited depth. A body that
 * two readers could read differently is refused. Few large bodies are held at a time, and they are read in turns, aside
 * from the event loop.
 */
import { extname } from 'node:path';
import { raw, type Request, type RequestHandler } from 'express';
import { BudgetedThreads } from '../../content/budgeted-thread.ts';
import { maxRequestBytes } from '../../contracts/http/shared.ts';
import { readJson, type ReadJson } from './json/read.ts';
import { HttpProblem } from './problem.ts';
import { turnsOf } from './turns.ts';

/**
 * Bytes and milliseconds for which a body that is too large is still read, and forgotten, before it is refused: a client
 * that is still sending would not read an answer.
 */
const drainBytes = 2 * maxRequestBytes;
const drainMs = 2_000;
/** Milliseconds for the whole body. */
const longestMs = 120_000;

/** Bytes of a body, and milliseconds for it, of a caller that has shown no key: nothing else bounds how many there are. */
const unknownCaller = { mostBytes: 16 * 1024, longestMs: 10_000 };
const knownCaller = { mostBytes: maxRequestBytes, longestMs };

/** Bytes of a body that is read in a turn at heavy work, in a thread: a smaller one takes a few milliseconds. */
const largeBytes = 256 * 1024;

/** Also a body of which nobody knows yet how long it is. */
function isLarge({ headers }: Request): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) > largeBytes;
}

/** Bodies of other types, and those of GET and HEAD, are left unread. If the request has no body, there is no `request.body`. */
export function jsonBody(): RequestHandler[] {
  // What is inflated would have another size than the one that is judged.
  const readerOf = ({ mostBytes }: typeof knownCaller): RequestHandler =>
    raw({ limit: mostBytes, type: 'application/json', inflate: false });
  const [readKnown, readUnknown] = [readerOf(knownCaller), readerOf(unknownCaller)];
  const readInTime: RequestHandler = (request, response, next) => {
    const isRead = request.method !== 'GET' && request.method !== 'HEAD';
    if (!isRead || typeof request.is('application/json') !== 'string') {
      next();
      return;
    }
    const isKnown = turnsOf(request) !== undefined;
    const bounds = isKnown ? knownCaller : unknownCaller;
    let isRefused = false;
    const refuse = (status: number, detail: string): void => {
      isRefused = true;
      stopWatching();
      clearTimeout(late);
      response.set('Connection', 'close');
      next(new HttpProblem(status, detail));
    };
    const tooLarge = `The body is larger than ${String(bounds.mostBytes)} bytes.`;
    const stopWatching = watchSize(request, bounds.mostBytes, () => {
      refuse(413, tooLarge);
    });
    const late = setTimeout(() => {
      refuse(408, `The body did not arrive within ${String(bounds.longestMs / 1_000)} seconds.`);
    }, bounds.longestMs);
    (isKnown ? readKnown : readUnknown)(request, response, (error?: unknown) => {
      stopWatching();
      clearTimeout(late);
      // The reader ends only when the body ends, which may be after the refusal.
      if (isRefused) return;
      const { type = null } = (error ?? {}) as { readonly type?: string };
      next(type === 'entity.too.large' ? new HttpProblem(413, tooLarge) : error);
    });
  };
  const takeTurn: RequestHandler = async (request, response, next) => {
    const isGone = isLarge(request) && (await turnsOf(request)?.takeBody(response)) === false;
    if (isGone) response.end();
    else next();
  };
  const parse: RequestHandler = async (request, response, next) => {
    const { body } = request as { readonly body: unknown };
    if (Buffer.isBuffer(body)) {
      const large = body.length > largeBytes;
      if (large && (await turnsOf(request)?.takeHeavy(response)) === false) {
        response.end();
        return;
      }
      request.body = await parsed(request, body, large);
    }
    next();
  };
  return [takeTurn, readInTime, parse];
}

/**
 * Calls `refuse` if a body is too large: soon after its limit, or when much more has come. Returns a function that
 * stops watching.
 */
function watchSize(request: Request, mostBytes: number, refuse: () => void): () => void {
  let received = 0;
  let timer: NodeJS.Timeout | null = null;
  const stop = (): void => {
    request.off('data', count);
    if (timer !== null) clearTimeout(timer);
  };
  const judge = (bytes: number): void => {
    if (bytes > mostBytes) timer ??= setTimeout(end, drainMs);
    if (received > mostBytes + drainBytes) end();
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

async function parsed(request: Request, bytes: Buffer, isLarge: boolean): Promise<unknown> {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new HttpProblem(415, 'The charset of the body is not supported: JSON must be UTF-8.');
  const read = isLarge ? await readAside(bytes) : readJson(bytes);
  if ('detail' in read) throw new HttpProblem(read.status, read.detail);
  return read.value;
}

const threads = new BudgetedThreads<Uint8Array, ReadJson>(
  new URL(`json/thread${extname(import.meta.filename)}`, import.meta.url),
  { heapMb: 512, bufferBytes: 128 * 1024 * 1024, workMs: 15_000 },
  2,
);

async function readAside(bytes: Buffer): Promise<ReadJson> {
  const own = Uint8Array.from(bytes);
  const read = await threads.run(own, [own.buffer]);
  if (typeof read !== 'string') return read;
  throw new HttpProblem(413, 'The body takes too much time or memory to read: send it in parts.');
}
