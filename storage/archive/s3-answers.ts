/** What answers of S3 say: the bytes that were asked for, or why not. */
import { S3ServiceException, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { addAbortSignal, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** The bytes that were asked for; null: the object ends before. Rejects where the answer is not what was asked for. */
export async function wholeAnswer(
  { Body, ContentRange }: GetObjectCommandOutput,
  at: number,
  length: number,
  signal: AbortSignal,
): Promise<Buffer | null> {
  if (!(Body instanceof Readable)) throw new Error('an answer without a body');
  addAbortSignal(signal, Body);
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(ContentRange ?? '') ?? [];
  if (Number(start) !== at || Number(total) < at + length) {
    Body.destroy();
    if (Number(start) === at) return null;
    throw new Error('the answer has another range than the one that was asked for');
  }
  const bytes = await buffer(Body);
  if (bytes.length !== length) throw new Error('the answer is cut short');
  return bytes;
}

export const isNamed = (error: unknown, ...names: readonly string[]): boolean =>
  error instanceof Error && names.includes(error.name);

/** An answer to HEAD has a status and no words. */
export const wordsOf = (error: unknown): string => {
  const status =
    error instanceof S3ServiceException ? ` (HTTP ${String(error.$metadata.httpStatusCode)})` : '';
  return error instanceof Error ? `${error.name}: ${error.message}${status}` : String(error);
};
