/** Parts of what is stored, by the `Range` of a request (RFC 9110, section 14). */
import type { Request, Response } from 'express';
import { byteRange } from '../../domain/byte-range.ts';
import { HttpProblem } from '../way-in/problem.ts';

/**
 * Sets the status of the answer, and the fields about its length. Answers which bytes to send: from the first to before
 * the other. What is stored has no validator, so a request with `If-Range` gets all of it.
 * @throws HttpProblem 416
 */
export function sendRange(
  { headers }: Request,
  response: Response,
  bytes: number,
): { readonly from: number; readonly to: number } {
  const range = headers['if-range'] === undefined ? byteRange(headers.range, bytes) : null;
  if (range === 'beyond') {
    response.set('Content-Range', `bytes */${String(bytes)}`);
    throw new HttpProblem(416, `There are ${String(bytes)} bytes only.`);
  }
  const { from, to } = range ?? { from: 0, to: bytes };
  response.status(range === null ? 200 : 206);
  response.set({ 'Accept-Ranges': 'bytes', 'Content-Length': String(to - from) });
  if (range !== null)
    response.set('Content-Range', `bytes ${String(from)}-${String(to - 1)}/${String(bytes)}`);
  return { from, to };
}
