/** Which bodies can be read, told from the Content-Type field and the first bytes (WHATWG MIME Sniffing). */

/** How a body is read: `html` and `xhtml` give links and text, `text` gives text only. */
type BodyKind = 'html' | 'xhtml' | 'text';

interface ContentType {
  /** `type/subtype`, lower-case; empty when the field is absent or is no media type. */
  readonly essence: string;
  /** The charset parameter as sent, quotes removed, or null. */
  readonly charset: string | null;
}

/** Bytes looked at when the Content-Type does not settle it (the WHATWG MIME Sniffing "resource header" is 1,445). */
const SNIFFED_BYTES = 1_445;

/** Reads a Content-Type field value (RFC 9110 section 8.3.1). Of several values joined by commas the first counts. */
export function parseContentType(value: string | null): ContentType {
  if (value === null) return { essence: '', charset: null };
  const essence = /^\s*([^\s;,/]+\/[^\s;,/]+)/.exec(value)?.[1] ?? '';
  const charset = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,"']+))/i.exec(value);
  return { essence: essence.toLowerCase(), charset: charset?.[1] ?? charset?.[2] ?? charset?.[3] ?? null };
}

/** True when `extract` finds something in such a body; false for images, PDF, archives, scripts, feeds and the like. */
export function isExtractable(contentType: string | null, body: Uint8Array): boolean {
  return bodyKind(parseContentType(contentType), body) !== null;
}

/** Types that say nothing: their bodies are told by their first bytes. */
const untold: ReadonlySet<string> = new Set([
  '',
  '*/*',
  'unknown/unknown',
  'application/unknown',
  'application/x-unknown-content-type',
  'application/octet-stream',
  'binary/octet-stream',
  'application/force-download',
  'application/download',
  'application/x-download',
]);
const pdfTypes: ReadonlySet<string> = new Set(['application/pdf', 'application/x-pdf']);
const markdownTypes: ReadonlySet<string> = new Set(['text/markdown', 'text/x-markdown']);

export const isMarkdown = ({ essence }: ContentType): boolean => markdownTypes.has(essence);

/** Bytes in which readers of PDF look for its mark (PDF 1.7, appendix H, note 13). */
const pdfHead = 1_024 + '%PDF-'.length;

/**
 * Is the body a PDF? Some programs write a line break, a part of a mail or a warning before it. One that is said to be
 * text has to begin with the mark: a text may speak of it.
 */
export function isPdf({ essence }: ContentType, body: Uint8Array): boolean {
  const saysNothing = untold.has(essence) || pdfTypes.has(essence);
  if (!saysNothing) return /^(?:html|plain|xml|markdown)$/.test(subtypeOf(essence)) && startsAsPdf(body);
  const start = head(body, pdfHead);
  if (looksLikeHtml(body)) return /[\r\n]%PDF-\d\.\d/.test(start);
  return pdfTypes.has(essence) || /%PDF-/.test(start);
}

const subtypeOf = (essence: string): string => /(?:\/|\+|-)(\w+)$/.exec(essence)?.[1] ?? '';
const startsAsPdf = (body: Uint8Array): boolean => /^(?:\xef\xbb\xbf)?\s*%PDF-\d/.test(head(body, 64));

/** How pictures, sound, films, fonts, programs and archives begin that no text begins with. */
const otherStart =
  /^(?:\x89PNG\r\n|GIF8[79]a|\xff\xd8\xff|RIFF....(?:WEBP|WAVE|AVI )|\0\0\x01\0|PK\x03\x04|\x1f\x8b\x08|Rar!\x1a|7z\xbc\xaf|\x7fELF|OggS\0|ID3[\x02-\x04]\0|wOF[F2]\0\x01|....ftyp|\x1aE\xdf\xa3)/s;

/**
 * How to read a body; null: the crawler does not read bodies of this kind. text/html is believed of whatever can be
 * text. XML counts only where it is XHTML. A missing or catch-all type is settled by the first bytes, as is that of an
 * HTML page that is sent for a PDF; so is text/plain, which servers send for whatever they do not know (section 7.2),
 * but it never becomes markup.
 */
export function bodyKind(type: ContentType, body: Uint8Array): BodyKind | null {
  if (isPdf(type, body)) return null;
  if (untold.has(type.essence) || pdfTypes.has(type.essence)) return looksLikeHtml(body) ? 'html' : null;
  switch (type.essence) {
    case 'text/html':
      return otherStart.test(head(body, 16)) ? null : 'html';
    case 'application/xhtml+xml':
      return 'xhtml';
    case 'application/xml':
    case 'text/xml':
      return head(body).includes('http://www.w3.org/1999/xhtml') ? 'xhtml' : null;
    case 'text/plain':
    case 'text/markdown':
    case 'text/x-markdown':
      return looksBinary(body) && !/^utf-?16/i.test(type.charset ?? '') ? null : 'text';
    default:
      return null;
  }
}

function head(body: Uint8Array, bytes = SNIFFED_BYTES): string {
  return Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, bytes)).toString('latin1');
}

/** Tab, line feed, form feed, carriage return, escape. */
const textControls: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

/** Control bytes that no text has (WHATWG MIME Sniffing, "binary data byte"); a UTF-16 mark vouches for its NULs. */
function looksBinary(body: Uint8Array): boolean {
  if (/^(?:\xff\xfe|\xfe\xff)/.test(head(body))) return false;
  return body.subarray(0, SNIFFED_BYTES).some((byte) => byte < 0x20 && !textControls.has(byte));
}

function looksLikeHtml(body: Uint8Array): boolean {
  const tag =
    /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[^])*-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta|h1|div|p|a|b|br|font|iframe|table|script|style)[\s>/]/i;
  return !looksBinary(body) && tag.test(head(body));
}
