/**
 * Turns bytes into text. The order of evidence is the HTML standard's (section 13.2.3.2): byte order mark, then the
 * HTTP header, then the document's own declaration, then a guess.
 */
import { isUtf8 } from 'node:buffer';
import { getBOMEncoding, normalizeEncoding, TextDecoder as StandardDecoder } from '@exodus/bytes/encoding.js';
import { ResultType, Sniffer } from 'encoding-sniffer/sniffer';
import { chardet } from 'jschardet';
import { votesOf } from './function-words.ts';

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
/** Bytes that are searched for evidence of an encoding that nothing declares. */
const GUESS_REACH = 65_536;
/** Bytes of text that a guess looks at. More bytes cost more (0.6 ms at 4 KiB), and hardly make the guess more certain. */
const GUESS_BYTES = 4_096;
/** Bytes of text around each one that is not ASCII: the words around it tell what it is. */
const GUESS_CONTEXT = 32;
/**
 * The detector's scale says how dense the evidence is rather than how certain: of short texts, and of those with few
 * accents, 97 % of the guesses below this are right. They are compared with the fallback.
 */
const SURE_ENOUGH = 0.25;
/** Of so many whole characters of UTF-8 one may be broken: a page has comments and feeds from elsewhere. */
const WHOLE_FOR_BROKEN = 3;
/**
 * The encodings of the Encoding standard, by the detector's names: pages in others would be mistaken for code pages of
 * DOS and of mainframes.
 */
const GUESSED = (
  'big5hkscs cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp866 cp874 cp932 cp949 euc_jis_2004 ' +
  'gb18030 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9 ' +
  'iso8859-13 iso8859-15 koi8-r koi8-u mac-cyrillic mac-roman shift_jis_2004'
).split(' ');
/** Names that the detector answers with and that are not labels of the standard. */
const guessLabels: ReadonlyMap<string, string> = new Map([
  ['CP932', 'shift_jis'],
  ['Shift-JIS-2004', 'shift_jis'],
  ['EUC-JIS-2004', 'euc-jp'],
  ['CP949', 'euc-kr'],
  ['CP874', 'windows-874'],
  ['MacRoman', 'macintosh'],
  ['MacCyrillic', 'x-mac-cyrillic'],
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
  if (isUtf8(withoutTornEnd(body))) return isIso2022Jp(body) ? 'iso-2022-jp' : 'utf-8';
  const late = declaredInside(body, LATE_META_BYTES);
  if (late !== null) return late;
  if (isNearlyUtf8(body)) return 'utf-8';
  const sample = sampleOf(body);
  if (hasOnlySigns(decode(sample, FALLBACK))) return FALLBACK;
  try {
    const { encoding, confidence } = chardet.detect(sample, { includeEncodings: GUESSED });
    const guessed = usable(guessLabels.get(encoding ?? '') ?? encoding) ?? FALLBACK;
    if (confidence >= SURE_ENOUGH) return guessed;
    const lead = speaks(sample, guessed) - speaks(sample, FALLBACK);
    return lead > 0 || (lead === 0 && !seldom.has(guessed)) ? guessed : FALLBACK;
  } catch {
    return FALLBACK;
  }
}

/** Is the text ASCII with the escapes that lead into and out of Japanese? Browsers look for these as well. */
function isIso2022Jp(body: Uint8Array): boolean {
  const at = body.indexOf(0x1b);
  if (at < 0 || at > GUESS_REACH) return false;
  const start = Buffer.from(body.buffer, body.byteOffset + at, Math.min(body.length - at, GUESS_REACH));
  return /^\x1b\$[@B](?:[\x21-\x7e]{2})+\x1b\([BJ]/.test(start.toString('latin1'));
}

/** Is the body UTF-8 with a few bytes of another encoding, or half characters, among many whole ones? */
function isNearlyUtf8(body: Uint8Array): boolean {
  let [whole, broken] = [0, 0];
  const end = Math.min(body.length, firstWide(body) + GUESS_REACH);
  for (let at = 0; at < end; at++) {
    const byte = body[at] ?? 0;
    if (byte < 0x80) continue;
    const further = byte < 0xc2 || byte > 0xf4 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    let found = 0;
    while (found < further && ((body[at + found + 1] ?? 0) & 0xc0) === 0x80) found++;
    if (further > 0 && found === further) whole++;
    else broken++;
    at += found;
  }
  return whole >= WHOLE_FOR_BROKEN * broken;
}

const firstWide = (body: Uint8Array): number =>
  Math.max(
    0,
    body.findIndex((byte) => byte >= 0x80),
  );

/**
 * Text around bytes that are not ASCII: plain English, markup and scripts only make the detector less certain. If all
 * such bytes are in markup, the body from the first one on.
 */
function sampleOf(body: Uint8Array): Uint8Array {
  const first = firstWide(body);
  const text = withoutMarkup(body, first + GUESS_REACH);
  const sample = new Uint8Array(GUESS_BYTES);
  let [length, copied] = [0, 0];
  for (let at = 0; at < text.length && length < GUESS_BYTES; at++) {
    if ((text[at] ?? 0) < 0x80) continue;
    const from = Math.max(copied, at - GUESS_CONTEXT);
    copied = at + GUESS_CONTEXT;
    // The second byte of a character may look like ASCII.
    while ((text[copied - 1] ?? 0) >= 0x80) copied++;
    const part = text.subarray(from, Math.min(copied, from + GUESS_BYTES - length));
    sample.set(part, length);
    length += part.length;
    at = copied - 1;
  }
  return length > 0 ? sample.subarray(0, length) : body.subarray(first, first + GUESS_BYTES);
}

/**
 * The bytes before `end` that are outside tags, comments, scripts and styles. In the encodings that are guessed, the
 * bytes of `<` and `>` are never part of another character.
 */
function withoutMarkup(body: Uint8Array, end: number): Uint8Array {
  const source = Buffer.from(body.buffer, body.byteOffset, Math.min(end, body.length));
  const parts: Uint8Array[] = [];
  for (let at = 0; at < source.length;) {
    const open = source.indexOf(0x3c, at);
    parts.push(source.subarray(at, open < 0 ? source.length : open), space);
    if (open < 0) break;
    at = endOfMarkup(source, open);
  }
  return Buffer.concat(parts);
}

const space = Buffer.from(' ');

/** Where the text goes on after what begins with `<`. */
function endOfMarkup(source: Buffer, open: number): number {
  const [, comment, name] =
    /^<(?:(!--)|(script|style)\b)?/i.exec(source.toString('latin1', open, open + 8)) ?? [];
  let end = source.indexOf(comment === undefined ? '>' : '-->', open + 1);
  if (name !== undefined)
    do end = source.indexOf('</', Math.max(end, open + 1));
    while (
      end >= 0 &&
      source.toString('latin1', (end += 2), end + name.length).toLowerCase() !== name.toLowerCase()
    );
  return end < 0 ? source.length : end + 1;
}

/** Encodings of few pages: not to be guessed where the words speak as well for the fallback. */
const seldom: ReadonlySet<string> = new Set(['macintosh', 'iso-8859-3', 'iso-8859-4']);

/** Small words with letters that are not ASCII, less words that mix scripts or have signs among their letters. */
function speaks(sample: Uint8Array, charset: string): number {
  const text = decode(sample, charset).toLowerCase();
  const known = [...votesOf(text.replace(asciiWord, ' ')).of.values()];
  return Math.max(0, ...known) - (text.match(mixedWords)?.length ?? 0);
}

/** Are dashes, quotes and the like, each by itself and between words, all that is not ASCII? */
const hasOnlySigns = (text: string): boolean =>
  !/[^\0-\x7f]{2}|(?![\0-\x7f])\p{L}/u.test(text) && !mixed.test(text);

const asciiWord = /(?<![^\0-\x7f])\b[a-z]+\b(?![^\0-\x7f])/g;
const mixed =
  /[a-z][\u0370-\u1dff\u3041-\ud7a3]|[\u0370-\u1dff\u3041-\ud7a3][a-z]|\p{L}[\p{S}\p{No}\u0080-\u009f\ufffd¡¿§¶]\p{L}/u;
const mixedWords = new RegExp(mixed, 'gu');

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
