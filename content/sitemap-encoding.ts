/** The encoding of a sitemap: UTF-8 by the protocol; its mark or its XML declaration may say otherwise. */
import { TextDecoder } from 'node:util';

const declaration = /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:-]{1,40})["']/;

/** @returns unknown: the declared encoding, if nobody knows it */
export function decoderFor(start: Uint8Array): {
  readonly decoder: TextDecoder;
  readonly unknown: string | null;
} {
  const marked = wideEncoding(start);
  if (marked !== null) return { decoder: new TextDecoder(marked), unknown: null };
  const head = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, 200)).toString('latin1');
  const declared = declaration.exec(head.replace(/^\xef\xbb\xbf/, ''))?.[1] ?? 'utf-8';
  // What could be read as ASCII so far is not in UTF-16, whatever it says of itself.
  if (/^utf-?(?:16|32)|^ucs-?[24]|^utf-?8$/i.test(declared))
    return { decoder: new TextDecoder(), unknown: null };
  try {
    return { decoder: new TextDecoder(declared), unknown: null };
  } catch (error) {
    if (error instanceof RangeError) return { decoder: new TextDecoder(), unknown: declared };
    throw error;
  }
}

/** UTF-16 by its mark, or by the zeros around the first `<`. */
function wideEncoding([first, second, third, fourth]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0x3c && second === 0 && fourth === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c && third === 0) return 'utf-16be';
  return null;
}
