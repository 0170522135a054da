/** Bodies of any length that are read line by line, in bounded memory. */
import type { Request } from 'express';
import { HttpProblem } from './problem.ts';

/** Bounds of one body. A line that is longer than `lineBytes` is passed over without being held. */
export interface BodyBounds {
  readonly bytes: number;
  readonly lines: number;
  readonly lineBytes: number;
}

/** Milliseconds after which a body that brings nothing is given up. */
const quietMs = 120_000;
/**
 * Bytes and milliseconds that are still read of a refused body: a client that still sends would not read the answer.
 */
const drainBytes = 32 * 1024 * 1024;
const drainMs = 2_000;

/** The body as it comes. Errors of the reader do not destroy the request; only a client that has gone does. */
export function chunksOf(request: Request): AsyncIterable<Buffer> {
  request.socket.setTimeout(quietMs, () => request.destroy());
  return request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

const newline = 0x0a;

/** Lines without their ends; null for a line that is too long. @throws HttpProblem 413 past the bounds of one body */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  most: BodyBounds,
): AsyncGenerator<Buffer | null> {
  let parts: Buffer[] = [];
  let held = 0;
  let bytes = 0;
  let lines = 0;
  const take = (part: Buffer): void => {
    held += part.length;
    if (held > most.lineBytes) parts = [];
    else parts.push(part);
  };
  const end = (): Buffer | null => {
    if (++lines > most.lines)
      throw new HttpProblem(
        413,
        `The body has more than ${String(most.lines)} lines: send the remaining lines in another request.`,
      );
    const line = held > most.lineBytes ? null : Buffer.concat(parts);
    parts = [];
    held = 0;
    return line;
  };
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > most.bytes)
      throw new HttpProblem(
        413,
        `The body is larger than ${String(most.bytes)} bytes: send the remaining lines in another request.`,
      );
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      take(chunk.subarray(from, at));
      yield end();
      from = at + 1;
    }
    take(chunk.subarray(from));
  }
  if (held > 0) yield end();
}

/** Reads on, and keeps nothing. Resolves at the end of the body, or when its bounds of bytes or time are reached. */
export function drain(request: Request): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((drained) => {
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > drainBytes) end();
    };
    const end = (): void => {
      clearTimeout(timer);
      request.off('data', count).off('end', end).off('close', end).pause();
      drained();
    };
    const timer = setTimeout(end, drainMs);
    request.on('data', count).once('end', end).once('close', end).resume();
  });
}
