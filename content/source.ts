/** The characters of a body that is text. */
import { decodeBody } from './charset.ts';
import { bodyKind, parseContentType } from './media.ts';

/** Null: the body is no text. */
export function sourceOf(body: Uint8Array, contentType: string | null): string | null {
  const type = parseContentType(contentType);
  return bodyKind(type, body) === null ? null : decodeBody(body, type.charset).text.toWellFormed();
}
