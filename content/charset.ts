/**
 * From bytes to text. The order of evidence is the HTML standard's (section 13.2.3.2): byte order mark, then the HTTP
 * header, then what the document says of itself, then a guess.
 */
import { isUtf8 } from 'node:buffer';
import { getBOMEncoding, normalizeEncoding, TextDecoder as StandardDecoder } from '@exodus/bytes/encoding.js';
import { ResultType, Sniffer } from 'encoding-sniffer/sniffer';
import { chardet } from 'jschardet';

interface Decoded {
  /** Without byte order mark. Malformed sequences became U+FFFD. */
  readonly text: string;
  /** WHATWG encoding name, lower-case. */
  readonly charset: string;
}

/** Bytes in which a document may name its encoding (HTML standard section 13.2.3.2, step 5). */
const PRESCAN_BYTES = 1_024;
/** Bytes in which a late `<meta>` is looked for: a parser would meet it and change over (section 13.2.3.5). ~1 ms. */
const LATE_META_BYTES = 65_536;
/** Bytes a guess looks at: its cost grows with them (0.6 ms at 4 KiB), its certainty hardly. */
const GUESS_BYTES = 4_096;
/** How many of them come before the first that is not ASCII: the start of its word. */
const GUESS_LEAD_BYTES = 16;
/** Confidence below which guesses were wrong as often as right: two French words came out Cyrillic at 0.21. */
const SURE_ENOUGH = 0.25;
/** What the web was ever written in; the code pages of DOS and of mainframes would only be mistaken for these. */
const GUESSED_ERAS = chardet.EncodingEra.MODERN_WEB | chardet.EncodingEra.LEGACY_ISO;
/** The detector's names that are no WHATWG labels. */
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
/** What undeclared Western pages are in, and what a handful of accented letters most likely is. */
const FALLBACK = 'windows-1252';

/**
 * Decodes a body. Never throws: unknown labels are passed over, malformed bytes replaced.
 * `contentTypeCharset` is the charset parameter of the Content-Type field, or null.
 */
export function decodeBody(body: Uint8Array, contentTypeCharset: string | null): Decoded {
  const marked = getBOMEncoding(body);
  const charset = marked ?? usable(contentTypeCharset) ?? declaredInside(body, PRESCAN_BYTES) ?? guess(body);
  return { text: decode(body, charset), charset };
}

/** Encoding of a label. The `replacement` group is passed over: a crawler is no browser to be tricked by it. */
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
  // Markup in UTF-16 without a mark: every other byte of `<!` or `<h` is NUL, which passes for ASCII and so for UTF-8.
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
 * Text around and after the first byte that is not ASCII, without tags: markup only lowers the detector's certainty.
 * The bytes of `<` and `>` are no part of any character in the encodings that are guessed.
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

/** A body cut at the size limit may end inside a character; that alone does not speak against UTF-8. */
function withoutTornEnd(body: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, body.length); back++) {
    const byte = body[body.length - back] ?? 0;
    if (byte >= 0xc0) return body.subarray(0, body.length - back);
    if (byte < 0x80) break;
  }
  return body;
}

/** Decoders are reused: each call decodes a whole body, so none keeps state. */
const decoders = new Map<string, { decode(body: Uint8Array): string }>();

/**
 * UTF-8 goes the native way, which is right there, valid UTF-8 past TextDecoder (7 times its speed). All else goes to
 * a decoder that keeps to the Encoding standard: Node's differs in euc-kr, big5 and, by version, windows-1252.
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
