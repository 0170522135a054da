/** The bytes that a `Range` names (RFC 9110, section 14.1.2). */

/** From the first byte to before `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Of `bytes=N-`, `bytes=N-M` and `bytes=-N`, the last N bytes. Null: there is no range, or one of another form, and all
 * is sent; `beyond`: none of the bytes is in it.
 */
export function byteRange(range: string | undefined, bytes: number): ByteRange | 'beyond' | null {
  const [, first, last, tail] = /^bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))$/.exec(range ?? '') ?? [];
  if (first === undefined && tail === undefined) return null;
  if (last !== undefined && Number(last) < Number(first)) return null;
  const from = first === undefined ? Math.max(0, bytes - Number(tail)) : Number(first);
  const to = last === undefined ? bytes : Math.min(bytes, Number(last) + 1);
  return from >= to ? 'beyond' : { from, to };
}
