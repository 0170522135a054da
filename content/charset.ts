/**
 * Turns bytes into text. The order of evidence is the HTML standard's (section 13.2.3.2): byte order mark, then the
 * HTTP header, then the document's own declaration, then a guess.
 */
import { isUtf8 } from 'node:buffer';
import { getBOMEncoding, normalizeEncoding, TextDecoder as StandardDecoder } from '@exodus/bytes/encoding.js';
import { ResultType, Sniffer } from 'encoding-sniffer/sniffer';
import { chardet } from 'jschardet';

interface Decoded {
  /** Without the byte order mark. U+FFFD stands for malformed sequences. */
  readonly text: string;
  /** WHATWG encoding name, lower-case. */
  readonly charset: string;
}

/** Bytes of a document that are searched for a declaration of its encoding (HTML standard section 13.2.3.2, step 5). */
const PRESCAN_BYTES = 1_024;
/**
 * Bytes that are searched for a late `<meta>`: a parser that met one would change the encoding (section 13.2.3.5). ~1
 * ms.
 */
const LATE_META_BYTES = 65_536;
/** Bytes that a guess looks at. More bytes cost more (0.6 ms at 4 KiB), and hardly make the guess more certain. */
const GUESS_BYTES = 4_096;
/** How many of these bytes come before the first one that is not ASCII: they hold the beginning of its word. */
const GUESS_LEAD_BYTES = 16;
/** With less confidence guesses were wrong as often as right: two French words came out as Cyrillic at 0.21. */
const SURE_ENOUGH = 0.25;
/**
 * The encodings in which the web has been written. Pages in these would only be mistaken for code pages of DOS and of
 * mainframes.
 */
const GUESSED_ERAS = chardet.EncodingEra.MODERN_WEB | chardet.EncodingEra.LEGACY_ISO;
/** Names that the detector uses and that are not WHATWG labels. */
const guessLabels: ReadonlyMap<string, string> = new Map([
  ['CP932', 'shift_jis'],
  ['Shift-JIS-2004', 'shift_jis'],
  ['EUC-JIS-2004', 'euc-jp'],
  ['ISO-2022-JP-2', 'iso-2022-jp'],
  ['ISO-2022-JP-2004', 'iso-2022-jp'],
  ['ISO-2022-JP-EXT', 'iso-2022-jp'],
  ['CP949', 'euc-kr'],
  ['CP874', 'windows-874'],
]);
/**
 * The usual encoding of Western pages that declare none, and the most likely one of a text with few accented letters.
 */
const FALLBACK = 'windows-1252';

/**
 * Decodes a body. Never throws: unknown labels are ignored, and malformed bytes replaced.
 * @param contentTypeCharset the charset parameter of the Content-Type field; null: the field has none
 */
export function decodeBody(body: Uint8Array, contentTypeCharset: string | null): Decoded {
  const marked = getBOMEncoding(body);
  const charset = marked ?? usable(contentTypeCharset) ?? declaredInside(body, PRESCAN_BYTES) ?? guess(body);
  return { text: decode(body, charset), charset };
}

/**
 * The encoding of a label; null: not known. The `replacement` group is ignored: it protects browsers from a trick that
 * cannot harm a crawler.
 */
function usable(label: string | null): string | null {
  const name = label === null ? null : normalizeEncoding(label);
  return name === 'replacement' ? null : name;
}

function declaredInside(body: Uint8Array, maxBytes: number): string | null {
  const sniffer = new Sniffer({ maxBytes });
  sniffer.write(body.subarray(0, maxBytes));
  return sniffer.resultType === ResultType.DEFAULT ? null : usable(sniffer.encoding);
}

function guess(body: Uint8Array): string {
  // UTF-16 markup without a byte order mark: every other byte of `<!` or `<h` is NUL, which is valid ASCII and so valid
  // UTF-8.
  if (body[0] === 0x3c && body[1] === 0 && body[3] === 0) return 'utf-16le';
  if (body[0] === 0 && body[1] === 0x3c && body[2] === 0) return 'utf-16be';
  if (isUtf8(withoutTornEnd(body))) return 'utf-8';
  const late = declaredInside(body, LATE_META_BYTES);
  if (late !== null) return late;
  try {
    const { encoding, confidence } = chardet.detect(sampleOf(body), { encodingEra: GUESSED_ERAS });
    if (encoding === null || confidence < SURE_ENOUGH) return FALLBACK;
    return usable(guessLabels.get(encoding) ?? encoding) ?? FALLBACK;
  } catch {
    return FALLBACK;
  }
}

/**
 * Text around and after the first byte that is not ASCII, without tags: markup only makes the detector less certain. In
 * the encodings that are guessed, the bytes of `<` and `>` are never part of another character.
 */
function sampleOf(body: Uint8Array): Uint8Array {
  const sample = new Uint8Array(GUESS_BYTES);
  const first = body.findIndex((byte) => byte >= 0x80);
  let length = 0;
  let inTag = false;
  for (let at = Math.max(0, first - GUESS_LEAD_BYTES); at < body.length && length < GUESS_BYTES; at++) {
    const byte = body[at] ?? 0;
    if (byte === 0x3c) inTag = true;
    if (!inTag) sample[length++] = byte;
    if (byte === 0x3e) inTag = false;
  }
  return sample.subarray(0, length);
}

/** Drops a character that the end of the body cuts in two: a body that was cut at the size limit may still be UTF-8. */
function withoutTornEnd(body: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, body.length); back++) {
    const byte = body[body.length - back] ?? 0;
    if (byte >= 0xc0) return body.subarray(0, body.length - back);
    if (byte < 0x80) break;
  }
  return body;
}

/** Decoders are reused: each call decodes a whole body, so no decoder keeps state. */
const decoders = new Map<string, { decode(body: Uint8Array): string }>();

/**
 * Valid UTF-8 is decoded by Buffer, 7 times as fast as by TextDecoder; malformed UTF-8 by Node's TextDecoder, which is
 * right for it. Other encodings go to a decoder that follows the Encoding standard: Node's decoder differs in euc-kr,
 * big5 and, in some versions, windows-1252.
 */
function decode(body: Uint8Array, charset: string): string {
  if (charset === 'utf-8' && isUtf8(body)) {
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
  let decoder = decoders.get(charset);
  if (decoder === undefined) {
    decoder = charset === 'utf-8' ? new TextDecoder() : new StandardDecoder(charset);
    decoders.set(charset, decoder);
  }
  return decoder.decode(body);
}
