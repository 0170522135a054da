/** Which bodies can be read, told from the Content-Type field and the first bytes. */

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

/**
 * How to read a body, or null when it is none of ours.
 * text/html is believed. XML counts only where it is XHTML. A missing or catch-all type is settled by the first bytes,
 * and so is text/plain, which servers send for whatever they do not know (WHATWG MIME Sniffing section 7.2).
 */
export function bodyKind(type: ContentType, body: Uint8Array): BodyKind | null {
  switch (type.essence) {
    case 'text/html':
      return 'html';
    case 'application/xhtml+xml':
      return 'xhtml';
    case 'application/xml':
    case 'text/xml':
      return head(body).includes('http://www.w3.org/1999/xhtml') ? 'xhtml' : null;
    case 'text/plain':
      return looksBinary(body) && !/^utf-?16/i.test(type.charset ?? '') ? null : 'text';
    case '':
    case 'application/octet-stream':
    case 'application/x-unknown-content-type':
    case 'unknown/unknown':
    case '*/*':
      return looksLikeHtml(body) ? 'html' : null;
    default:
      return null;
  }
}

function head(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, SNIFFED_BYTES)).toString('latin1');
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
    /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[^])*-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta|h1|div|p|a|table|script|style)[\s>/]/i;
  return !looksBinary(body) && tag.test(head(body));
}
