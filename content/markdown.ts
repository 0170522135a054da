/** Markdown of a page (CommonMark with GitHub's tables and strike-through), made when somebody asks for it. */
import type { Repeated } from '../contracts/extraction.ts';
import { decodeBody } from './charset.ts';
import { withoutSubset } from './doctype.ts';
import { fenced } from './markdown/code.ts';
import { type Markdown, type MarkdownPart, readMarkdown } from './markdown/reader.ts';
import { bodyKind, parseContentType } from './media.ts';

export type { Markdown, MarkdownPart };

/**
 * The whole page without what is no part of its text (scripts, navigation, asides, footers), in time linear in its size.
 * Links and images are absolute. Plain text becomes a block of code. Never throws for what a body holds.
 * Null: the body is no text.
 * @param url of the page, absolute
 * @param part 'main': its main text alone, as extraction judges it
 * @param repeated blocks that many pages of the host have, which are left out
 */
export function toMarkdown(
  body: Uint8Array,
  contentType: string | null,
  url: string,
  part: MarkdownPart = 'page',
  repeated: Repeated = new Set(),
): Markdown | null {
  const type = parseContentType(contentType);
  const kind = bodyKind(type, body);
  if (kind === null) return null;
  const source = decodeBody(body, type.charset).text.replaceAll('\0', '').toWellFormed();
  if (kind === 'xhtml') return readMarkdown(withoutSubset(source), true, new URL(url), part, repeated);
  if (kind === 'html') return readMarkdown(source, false, new URL(url), part, repeated);
  const lines = fenced(source.slice(0, longestText), null);
  return {
    text: lines.map((line) => `${line}\n`).join(''),
    leftOut: Math.max(0, source.length - longestText),
  };
}

/** Characters of plain text, as many as are kept of any page's text. */
const longestText = 1_000_000;
